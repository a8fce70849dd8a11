package injector

import "fmt"

// The role must be a main role of the definitions. A pod that names another is
// refused: starting it without the containers that it asks for is what nobody
// would notice.
func ruleKnown(t *situation) verdict {
	value := t.pod.annotations.role.value
	if t.role = t.snapshot.roles[string(value)]; t.role != nil {
		t.native = t.pod.autoIsNative()
		t.readStatus()
		return pass
	}
	name := clip(value)
	if _, is := t.snapshot.colocated[name]; is {
		return refuse(ReasonRoleIsColocated, fmt.Sprintf("role %q is a colocated container, which has no pod of its own. Name the main role whose definition lists it.", name))
	}
	if len(t.snapshot.names) == 0 {
		return refuse(ReasonUnknownRole, fmt.Sprintf("role %q is not defined; no definitions are loaded. Apply the ConfigMap that colocate build writes.", name))
	}
	return refuse(ReasonUnknownRole, fmt.Sprintf("role %q is not defined%s Correct annotation %s, or apply the role's definition.", name, orStop(didYouMean(name, t.snapshot.names)), RoleAnnotation))
}

// readStatus takes the pod's status annotation for what it is: a claim that
// counts only where it is about this role and can be read.
func (t *situation) readStatus() {
	if a := t.pod.annotations.status; a.set {
		s, err := ParseStatus(a.value)
		t.status, t.hasStatus = s, err == nil && s.Role == t.role.name
	}
}

func (t *situation) statusIsCurrent() bool { return t.hasStatus && t.status.Hash == t.role.hash }
