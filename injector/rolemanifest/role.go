package rolemanifest

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// role is one entry of the list, as far as it matters here.
type role struct {
	name string
	// at is where the name stands, or the role where it has none.
	at   place
	path string
	// colocated tells colocated containers from main roles.
	colocated bool
	// task is set for main roles that run to completion.
	task bool
	// lists are the colocated containers that the role names, in order.
	lists []reference
	tags  field

	run    run
	hasRun bool

	// The additions of a colocated container; zero fields where absent.
	container field
	placement field
	volumes   field
	secrets   field

	// spec is what check made of a colocated container; nil before.
	spec *spec
}

// reference is the name of another role.
type reference struct {
	name string
	at   place
}

// readRole reads one entry of the list and keeps it where it has a name.
func (r *reader) readRole(n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		r.typeFault(n, path, "a mapping", true)
		return
	}
	colocated := r.isColocated(n)
	o := r.object(n, InRole, path, colocated)
	ro := &role{path: path, at: o.at, colocated: colocated, tags: o.get("tags")}
	kind := o.get("type").text()
	ro.task = kind == "bosh-task" || kind == "" && o.get("is_task").truth()
	if name := o.get("name"); name.present() && name.text() != "" {
		ro.name, ro.at = name.text(), name.at()
	} else if name.present() || !o.wrote("name") {
		r.add(o.at, Error, CodeMissingKey, "the role has no name", `add "name"`)
	}
	r.readNeeds(ro, o)
	r.readAdditions(ro, o)
	if jobs := o.get("jobs"); jobs.present() {
		for i, job := range jobs.value.Content {
			r.readJob(ro, job, jobs.item(i).path)
		}
	}
	if colocated {
		r.withoutEffect(ro, n)
	}
	if ro.name != "" {
		r.roles = append(r.roles, ro)
	}
}

// isColocated looks at the type before anything else is read, since the weight
// of faults depends on it.
func (r *reader) isColocated(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "type" {
			switch n.Content[i+1].Value {
			case "", "bosh", "bosh-task", "docker":
				return false
			}
			// A misspelt type is reported; most types that one misspells are this one.
			return near(n.Content[i+1].Value, []string{"bosh", "bosh-task", "docker"}) == ""
		}
	}
	return false
}

func (r *reader) readJob(ro *role, n *yaml.Node, path string) {
	job := r.object(n, InJob, path, ro.colocated)
	properties := job.get("properties")
	if !properties.present() {
		return
	}
	p := r.object(properties.value, InProperties, properties.path, ro.colocated)
	c := p.get("bosh_containerization")
	if !c.present() {
		return
	}
	o := r.object(c.value, InContainerization, c.path, ro.colocated)
	r.readNeeds(ro, o)
	r.readAdditions(ro, o)
	if ports := o.get("ports"); ports.present() {
		r.readPorts(ro, ports)
	}
}

// readNeeds reads what stands on the role in layouts 1 and 2 and on the job in
// layout 3.
func (r *reader) readNeeds(ro *role, o object) {
	if list := o.get("colocated_containers"); list.present() {
		for i, item := range list.value.Content {
			ro.lists = append(ro.lists, reference{item.Value, list.item(i)})
		}
	}
	for _, f := range o.fields {
		if f.key.Name == "run" {
			ro.hasRun = true
			r.readRun(ro, f)
		}
	}
}

// readAdditions takes up colocate's own keys.
func (r *reader) readAdditions(ro *role, o object) {
	for name, into := range map[string]*field{
		"container": &ro.container, "placement": &ro.placement, "volumes": &ro.volumes, "image-pull-secrets": &ro.secrets,
	} {
		f := o.get(name)
		switch {
		case !f.present():
		case !ro.colocated:
			instead := `a role of type "colocated-container"`
			if name == "volumes" {
				instead = "run.volumes of the role"
			}
			r.misplacedTo(f, instead, true)
		case into.present():
			r.repeated(f, into.nameAt())
		default:
			*into = f
		}
	}
}

func (r *reader) repeated(f field, first place) {
	r.add(f.nameAt(), Error, CodeRepeatedInJob, fmt.Sprintf("%q is given again, first at %s", f.key.Name, first.position()), "keep it in one job")
}

// withoutEffect notes what a colocated container cannot have, since it is the
// main role's.
func (r *reader) withoutEffect(ro *role, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key := n.Content[i]; key.Value {
		case "default_feature", "if_feature", "unless_feature":
			r.add(placeOf(key, join(ro.path, key.Value)), Note, CodeNoEffect,
				fmt.Sprintf("%q has no effect on a colocated container: it is always added", key.Value), "")
		}
	}
	if !ro.tags.present() {
		return
	}
	for i, tag := range ro.tags.value.Content {
		switch strings.ToLower(strings.TrimSpace(tag.Value)) {
		case "clustered", "indexed":
			r.add(ro.tags.item(i), Error, CodePersistentState,
				fmt.Sprintf("role %q is a colocated container and is tagged %q: a colocated container cannot be stateful", ro.name, tag.Value),
				"remove the tag, or give the container a pod of its own")
		default:
			r.add(ro.tags.item(i), Warning, CodeNoEffect, fmt.Sprintf("tag %q has no effect on a colocated container", tag.Value), "remove it")
		}
	}
}
