package injector

import "testing"

func TestRuleSwitch(t *testing.T) {
	invalid := func(v string) string {
		return "annotation colocate.dev/inject is " + v + `. It can be "true" or "false".`
	}
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "true", pod: podOf(`,"colocate.dev/inject":"true"`, ""), reason: ReasonInjected},
		{name: "false", pod: podOf(`,"colocate.dev/inject":"false"`, ""), reason: ReasonInjectionDisabled, says: `the pod says colocate.dev/inject: "false".`},
		{name: "false with an unknown role", pod: `{"metadata":{"annotations":{"colocate.dev/inject":"false","colocate.dev/role":"no"}}}`, reason: ReasonInjectionDisabled, says: `the pod says colocate.dev/inject: "false".`},
		{name: "False", pod: podOf(`,"colocate.dev/inject":"False"`, ""), reason: ReasonInvalidAnnotation, says: invalid(`"False"`)},
		{name: "empty", pod: podOf(`,"colocate.dev/inject":""`, ""), reason: ReasonInvalidAnnotation, says: invalid(`""`)},
		{name: "control characters", pod: podOf(`,"colocate.dev/inject":"a\nb"`, ""), reason: ReasonInvalidAnnotation, says: invalid(`"a b"`)},
	})
}
