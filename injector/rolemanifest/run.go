package rolemanifest

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// run is what the jobs of a role need together.
type run struct {
	memory, cpu  amounts
	volumes      []volume
	hasVolume    map[volume]bool
	ports        []port
	portCount    int
	capabilities []*yaml.Node
	// privileged is the value that says so, nil where none does.
	privileged *yaml.Node
	env        []variable
	envByName  map[string]variable
	// health is the healthcheck of the one job that has it.
	health    field
	readiness *probe
	liveness  *probe
}

// readRun merges one run into that of the role, by the rules of the format: the
// largest amounts, the union of lists, privileged where any job is.
func (r *reader) readRun(ro *role, f field) {
	o := r.object(f.value, InRun, f.path, ro.colocated)
	for _, list := range []string{"volumes", "persistent-volumes", "shared-volumes"} {
		if v := o.get(list); v.present() {
			r.readVolumes(ro, v)
		}
	}
	if ports := o.get("exposed-ports"); ports.present() {
		r.readPorts(ro, ports)
	}
	if !ro.colocated {
		return
	}
	r.readAmounts(ro, o)
	if c := o.get("capabilities"); c.present() {
		r.readCapabilities(ro, c)
	}
	if p := o.get("privileged"); p.truth() && ro.run.privileged == nil {
		ro.run.privileged = p.value
	}
	if env := o.get("env"); env.present() {
		r.readEnv(ro, env)
	}
	if h := o.get("healthcheck"); h.present() && !isEmpty(h.value) {
		if ro.run.health.present() {
			r.repeated(h, ro.run.health.nameAt())
		} else {
			ro.run.health = h
			r.readHealth(ro, h)
		}
	}
	if s := o.get("service-account"); s.present() {
		r.add(s.nameAt(), Note, CodeNoEffect, `"service-account" has no effect on a colocated container: the pod runs under the main role's`, "")
	}
}

// readCapabilities adds the capabilities that are not there yet.
func (r *reader) readCapabilities(ro *role, f field) {
	for i, n := range f.value.Content {
		name := strings.ToUpper(n.Value)
		if bare, ok := strings.CutPrefix(name, "CAP_"); ok {
			r.add(f.item(i), Warning, CodeSuperseded, fmt.Sprintf("capability %q is written without CAP_ in Kubernetes", n.Value), fmt.Sprintf("write %q", bare))
			name = bare
		}
		if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
			r.add(f.item(i), Error, CodeInvalidValue, fmt.Sprintf("capability %q cannot be one", n.Value), "write its name, such as NET_ADMIN")
			continue
		}
		if name == "ALL" {
			r.add(f.item(i), Warning, CodeCapabilityAll, fmt.Sprintf("role %q adds the capability %q, which is every one", ro.name, "ALL"), "list those that it needs, or write privileged: true")
		}
		ro.run.addCapability(text(name, n))
	}
}

func (u *run) addCapability(n *yaml.Node) {
	for _, c := range u.capabilities {
		if c.Value == n.Value {
			return
		}
	}
	u.capabilities = append(u.capabilities, n)
}

// variable is one environment variable.
type variable struct {
	name, value *yaml.Node
	at          place
}

// readEnv reads NAME=value entries; a mapping, or entries with name and value,
// are understood too.
func (r *reader) readEnv(ro *role, f field) {
	switch f.value.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(f.value.Content); i += 2 {
			name, value := f.value.Content[i], f.value.Content[i+1]
			r.addEnv(ro, variable{text(name.Value, name), value, placeOf(name, join(f.path, name.Value))})
		}
	case yaml.SequenceNode:
		for i, n := range f.value.Content {
			r.envItem(ro, n, f.item(i))
		}
	default:
		r.typeFault(f.value, f.path, "a list of NAME=value", true)
	}
}

func (r *reader) envItem(ro *role, n *yaml.Node, at place) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 4 {
		var v variable
		for i := 0; i < 4; i += 2 {
			switch n.Content[i].Value {
			case "name":
				v.name = n.Content[i+1]
			case "value":
				v.value = n.Content[i+1]
			}
		}
		if v.name != nil && v.value != nil {
			v.at = at
			r.addEnv(ro, v)
			return
		}
	}
	name, value, ok := strings.Cut(n.Value, "=")
	if n.Kind != yaml.ScalarNode || !ok {
		r.add(at, Error, CodeInvalidValue, fmt.Sprintf("an entry of env must be NAME=value, not %s", describe(n)), "write NAME=value; for values from Secrets and fields use container.env")
		return
	}
	r.addEnv(ro, variable{text(name, n), text(value, n), at})
}

func (r *reader) addEnv(ro *role, v variable) {
	if v.value.Kind != yaml.ScalarNode || !isText(v.value) {
		r.typeFault(v.value, v.at.path, "text", true)
		return
	}
	first, twice := ro.run.envByName[v.name.Value]
	switch {
	case !twice:
		if ro.run.envByName == nil {
			ro.run.envByName = map[string]variable{}
		}
		ro.run.envByName[v.name.Value] = v
		ro.run.env = append(ro.run.env, v)
	case first.value.Value != v.value.Value:
		r.add(v.at, Error, CodeRepeatedInJob, fmt.Sprintf("env %q is given again with another value, first at %s", v.name.Value, first.at.position()), "keep one of the two")
	}
}
