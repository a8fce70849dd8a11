package injector

import "testing"

func TestRuleLoaded(t *testing.T) {
	checkVerdicts(t, nil, Creation(), []verdictCase{
		{name: "asked", pod: podOf("", ""), reason: ReasonNoSnapshot, says: "no definitions are loaded yet; try again."},
		{name: "not asked", pod: `{}`, reason: ReasonNotAsked},
		{name: "switched off", pod: podOf(`,"colocate.dev/inject":"false"`, ""), reason: ReasonInjectionDisabled, says: `the pod says colocate.dev/inject: "false".`},
	})
	var s *Snapshot
	var p Pod
	if err := ReadPod([]byte(podOf("", "")), &p); err != nil {
		t.Fatal(err)
	}
	d, steps := s.Explain(&p, Creation())
	if d.Outcome != Unavailable || d.Allowed() || len(steps) != 6 || steps[5].Reason != ReasonNoSnapshot {
		t.Errorf("%v after %+v", d.Outcome, steps)
	}
}
