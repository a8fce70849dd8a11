package injector

import "testing"

func TestRuleCreation(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	for _, c := range []struct {
		name   string
		attr   Attributes
		reason Reason
	}{
		{"create", Creation(), ReasonInjected},
		{"update", Attributes{Operation: "UPDATE", Resource: "pods"}, ReasonNotCreate},
		{"delete", Attributes{Operation: "DELETE", Resource: "pods"}, ReasonNotCreate},
		{"connect", Attributes{Operation: "CONNECT", Resource: "pods", SubResource: "exec"}, ReasonSubResource},
		{"ephemeral containers", Attributes{Operation: "UPDATE", Resource: "pods", SubResource: "ephemeralcontainers"}, ReasonSubResource},
		{"deployment", Attributes{Operation: "CREATE", Resource: "deployments.apps"}, ReasonNotAPod},
		{"another group's pods", Attributes{Operation: "CREATE", Resource: "pods.metrics.k8s.io"}, ReasonNotAPod},
		{"nothing", Attributes{}, ReasonNotAPod},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkVerdicts(t, s, c.attr, []verdictCase{{name: "pod", pod: podOf("", ""), reason: c.reason}})
		})
	}
	// What is not a creation is never refused, whatever the pod says.
	checkVerdicts(t, s, Attributes{Operation: "UPDATE", Resource: "pods"}, []verdictCase{
		{name: "unknown role", pod: `{"metadata":{"annotations":{"colocate.dev/role":"no"}}}`, reason: ReasonNotCreate},
		{name: "no object", pod: `null`, reason: ReasonNotCreate},
	})
}
