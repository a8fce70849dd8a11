package injector

import "testing"

func TestRuleLinux(t *testing.T) {
	const says = `role "nginx": this pod is for Windows, the colocated containers are for Linux. Remove annotation colocate.dev/role.`
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "os", pod: podOf("", `"os":{"name":"windows"},`), reason: ReasonWindowsPod, says: says},
		{name: "node selector", pod: podOf("", `"nodeSelector":{"kubernetes.io/os":"windows"},`), reason: ReasonWindowsPod, says: says},
		{name: "host process", pod: podOf("", `"securityContext":{"windowsOptions":{"hostProcess":true}},`), reason: ReasonWindowsPod, says: says},
		{name: "linux", pod: podOf("", `"os":{"name":"linux"},"nodeSelector":{"kubernetes.io/os":"linux"},`), reason: ReasonInjected},
	})
}
