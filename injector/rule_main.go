package injector

import (
	"fmt"
	"strconv"
)

// The role's own container is the one that an annotation names, else the one
// named like the role, else kubectl's default container, else the first.
// Annotations that name a container which the pod does not have are a mistake
// only where they are ours.
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
	if t.main = t.mainOfStatus(); t.main != nil {
		return pass
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
	if count > 1 && t.role.touchesMain() {
		// Most pods of several containers get this warning, so it is not formatted.
		t.warn("colocate: role " + strconv.Quote(t.role.name) + ": taking container " + strconv.Quote(clip(t.main.name)) +
			" for the role's own, because it is the first of " + strconv.Itoa(count) + "; say so with annotation " + MainContainerAnnotation)
	}
	return pass
}

// mainOfStatus returns the container that got the role's mounts in an earlier
// call. Without it a container that another webhook has put in front meanwhile
// would become the first.
func (t *situation) mainOfStatus() *podContainer {
	if !t.hasStatus || len(t.status.Mounts) != 1 {
		return nil
	}
	for name := range t.status.Mounts {
		return t.own([]byte(name))
	}
	return nil
}

// touchesMain reports whether it matters which container is the role's own.
func (r *role) touchesMain() bool { return len(r.mounts) > 0 || len(r.colocated) > 0 }

// own returns the ordinary container of that name, unless it is a colocated one.
func (t *situation) own(name []byte) *podContainer {
	for i := range t.pod.containers {
		if c := &t.pod.containers[i]; c.place == inContainers && string(c.name) == string(name) && !t.role.member(string(name)) {
			return c
		}
	}
	return nil
}
