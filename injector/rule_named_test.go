package injector

import "testing"

func TestRuleNamed(t *testing.T) {
	const says = "annotation colocate.dev/role is empty. Name the role, or remove the annotation."
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "empty", pod: `{"metadata":{"annotations":{"colocate.dev/role":""}}}`, reason: ReasonInvalidAnnotation, says: says},
		{name: "null", pod: `{"metadata":{"annotations":{"colocate.dev/role":null}}}`, reason: ReasonInvalidAnnotation, says: says},
	})
	checkVerdicts(t, nil, Creation(), []verdictCase{
		{name: "empty before anything is loaded", pod: `{"metadata":{"annotations":{"colocate.dev/role":""}}}`, reason: ReasonInvalidAnnotation, says: says},
	})
}
