package injector

import "fmt"

// The role's own container is the one that an annotation names, else the one
// named like the role, else kubectl's default container, else the first.
// Colocated containers that are in the pod already are never it.
func ruleMain(t *situation) verdict {
	if a := t.pod.annotations.main; a.set {
		if t.main = t.own(a.value); t.main == nil {
			return refuse(ReasonUnknownMainContainer, fmt.Sprintf("role %q: annotation %s names %q, which is none of this pod's own containers. Correct the name.", t.role.name, MainContainerAnnotation, clip(a.value)))
		}
		return pass
	}
	if t.main = t.own([]byte(t.role.name)); t.main != nil {
		return pass
	}
	if a := t.pod.annotations.defaultContainer; a.set {
		if t.main = t.own(a.value); t.main != nil {
			return pass
		}
	}
	count := 0
	for i := range t.pod.containers {
		if c := &t.pod.containers[i]; c.place == inContainers && !t.role.member(string(c.name)) {
			if count++; count == 1 {
				t.main = c
			}
		}
	}
	if t.main == nil {
		return refuse(ReasonUnknownMainContainer, fmt.Sprintf("role %q: this pod has no container of its own beside the colocated ones. Add the role's own container.", t.role.name))
	}
	if count > 1 && len(t.role.mounts) > 0 {
		t.warn(fmt.Sprintf("colocate: role %q: taking container %q for the role's own, because it is the first of %d; say so with annotation %s", t.role.name, clip(t.main.name), count, MainContainerAnnotation))
	}
	return pass
}

// own returns the ordinary container of that name, unless it is a colocated one.
func (t *situation) own(name []byte) *podContainer {
	for i := range t.pod.containers {
		if c := &t.pod.containers[i]; c.place == inContainers && string(c.name) == string(name) && !t.role.member(string(name)) {
			return c
		}
	}
	return nil
}
