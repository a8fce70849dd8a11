package injector

import "fmt"

// The containers, init containers and ephemeral containers of a pod share one
// name space. A container of ours may not replace, or stand beside, another of
// the same name.
func ruleContainers(t *situation) verdict {
	for i, k := range t.role.colocated {
		if t.found[i] != nil {
			continue
		}
		if c := t.pod.container(k.name); c != nil {
			return refuse(ReasonContainerClash, fmt.Sprintf("role %q: this pod has %s %q already (image %q), which is not the colocated container of that name (image %q). Rename one of the two.",
				t.role.name, [...]string{"a container", "an init container", "an ephemeral container"}[c.place], k.name, clip(c.image), k.image))
		}
	}
	return pass
}
