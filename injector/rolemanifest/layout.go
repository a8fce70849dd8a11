package rolemanifest

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// manifest reads the top of the file and all roles.
func (r *reader) manifest(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		r.add(placeOf(root, ""), Error, CodeNoRoles, "no role is recognised: the file is "+describe(root), `write the roles as a list under "instance_groups" or "roles"`)
		return
	}
	if key, kind := yamldoc.Pair(root, "kind"); kind != nil && yamldoc.Lookup(root, "apiVersion") != nil {
		r.add(placeOf(key, "kind"), Error, CodeNoRoles, fmt.Sprintf("no role is recognised: the file is a Kubernetes object of kind %q", clip(kind.Value)), "give the role manifest")
		return
	}
	r.findLayout(root)
	top := r.top(root)
	groups, roles := top.get("instance_groups"), top.get("roles")
	if groups.present() && roles.present() && !isEmpty(groups.value) && !isEmpty(roles.value) {
		r.add(roles.nameAt(), Error, CodeMixedLayouts,
			fmt.Sprintf("the file has roles under %q and under %q at %s", "roles", "instance_groups", groups.nameAt().position()), "keep one list")
	}
	for _, list := range []field{groups, roles} {
		if !list.present() {
			continue
		}
		r.listAt = list.nameAt()
		for i, n := range list.value.Content {
			r.readRole(n, list.item(i).path)
		}
	}
	if len(r.roles) == 0 && !r.failed {
		r.noRoles(root)
	}
}

func (r *reader) noRoles(root *yaml.Node) {
	at, message := placeOf(root, ""), `no role is recognised: there is neither "instance_groups" nor "roles"`
	for _, name := range []string{"instance_groups", "roles"} {
		if key, _ := yamldoc.Pair(root, name); key != nil {
			at, message = placeOf(key, name), fmt.Sprintf("no role is recognised: the list under %q is empty", name)
		}
	}
	r.add(at, Error, CodeNoRoles, message, `write the roles as a list under "instance_groups" or "roles"`)
}

// top reads the keys of the file. `roles` in layout 3 is read with a warning:
// the format's own tool would find the file empty.
func (r *reader) top(root *yaml.Node) object {
	layout := r.layout
	r.layout = everyPart
	o := r.object(root, InManifest, "", true)
	r.layout = layout
	if roles := o.get("roles"); roles.present() && layout == Layout3 {
		r.add(roles.nameAt(), Warning, CodeSuperseded, `"roles" is the older word; readers of this layout do not know it`, `write "instance_groups"`)
	}
	return o
}

// findLayout decides by the keys that only one of the layouts has. Layout 3 wins
// where any job carries bosh_containerization: what stands in the places of the
// others is then reported where it is met.
func (r *reader) findLayout(root *yaml.Node) {
	r.layout, r.layoutSeen = onGroup, 0
	old := false
	for _, list := range []string{"instance_groups", "roles"} {
		groups := yamldoc.Lookup(root, list)
		if groups == nil || groups.Kind != yaml.SequenceNode {
			continue
		}
		for _, group := range groups.Content {
			for _, key := range []string{"run", "colocated_containers", "extra-pod-containers"} {
				v := yamldoc.Lookup(group, key)
				old = old || v != nil && !isEmpty(v)
			}
			if key := containerization(group); key != nil {
				r.layout, r.layoutSeen, r.layout3At = Layout3, Layout3, placeOf(key, "")
				return
			}
		}
		switch {
		case list == "roles":
			r.layoutSeen = Layout1
		case old:
			r.layoutSeen = Layout2
		default:
			// Nothing tells; keys of every layout are read where they stand.
			r.layout = everyPart
		}
	}
}

// containerization returns the first bosh_containerization of a group's jobs.
func containerization(group *yaml.Node) *yaml.Node {
	jobs := yamldoc.Lookup(group, "jobs")
	if jobs == nil || jobs.Kind != yaml.SequenceNode {
		return nil
	}
	for _, job := range jobs.Content {
		key, value := yamldoc.Pair(yamldoc.Lookup(job, "properties"), "bosh_containerization")
		if key != nil && !isEmpty(value) {
			return key
		}
	}
	return nil
}
