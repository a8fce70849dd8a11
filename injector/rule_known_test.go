package injector

import (
	"strings"
	"testing"
)

func TestRuleKnown(t *testing.T) {
	ask := func(role string) string { return `{"metadata":{"annotations":{"colocate.dev/role":"` + role + `"}}}` }
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "near", pod: ask("ngnix"), reason: ReasonUnknownRole, says: `role "ngnix" is not defined; did you mean "nginx"? Correct annotation colocate.dev/role, or apply the role's definition.`},
		{name: "far", pod: ask("postgres"), reason: ReasonUnknownRole, says: `role "postgres" is not defined. Correct annotation colocate.dev/role, or apply the role's definition.`},
		{name: "case", pod: ask("Nginx"), reason: ReasonUnknownRole, says: `role "Nginx" is not defined; did you mean "nginx"? Correct annotation colocate.dev/role, or apply the role's definition.`},
		{name: "colocated", pod: ask("log-forwarder"), reason: ReasonRoleIsColocated, says: `role "log-forwarder" is a colocated container, which has no pod of its own. Name the main role whose definition lists it.`},
		{name: "control characters", pod: ask(`a\u0000\n`), reason: ReasonUnknownRole, says: `role "a  " is not defined. Correct annotation colocate.dev/role, or apply the role's definition.`},
	})
	checkVerdicts(t, snapshotOf(t), Creation(), []verdictCase{
		{name: "nothing is defined", pod: ask("nginx"), reason: ReasonUnknownRole, says: `role "nginx" is not defined; no definitions are loaded. Apply the ConfigMap that colocate build writes.`},
	})
}

// A name from a pod may be of any size; what is logged and shown is not.
func TestLongRoleNamesAreCut(t *testing.T) {
	var p Pod
	if err := ReadPod([]byte(`{"metadata":{"annotations":{"colocate.dev/role":"`+strings.Repeat("é", 10000)+`"}}}`), &p); err != nil {
		t.Fatal(err)
	}
	d := snapshotOf(t, nginxRole, logForwarder).Plan(&p, Creation())
	if d.Reason != ReasonUnknownRole || len(d.Role) > 253 || len(d.Message) > 400 || d.Known {
		t.Errorf("%s, role of %d bytes, message of %d bytes", d.Reason, len(d.Role), len(d.Message))
	}
}
