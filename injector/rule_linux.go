package injector

import "fmt"

// Definitions are for Linux containers.
func ruleLinux(t *situation) verdict {
	if string(t.pod.os) != "windows" && string(t.pod.nodeOS) != "windows" && !t.pod.hostProcess {
		return pass
	}
	return refuse(ReasonWindowsPod, fmt.Sprintf("role %q: this pod is for Windows, the colocated containers are for Linux. Remove annotation %s.", t.role.name, RoleAnnotation))
}
