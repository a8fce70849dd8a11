package injector

import "testing"

func TestRuleAsked(t *testing.T) {
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "no annotation", pod: `{"metadata":{"annotations":{"colocate.dev/roles":"nginx"}}}`, reason: ReasonNotAsked},
		{name: "no annotations", pod: `{"metadata":{}}`, reason: ReasonNotAsked},
		{name: "null annotations", pod: `{"metadata":{"annotations":null}}`, reason: ReasonNotAsked},
		{name: "no metadata", pod: `{}`, reason: ReasonNotAsked},
		{name: "a label is no annotation", pod: `{"metadata":{"labels":{"colocate.dev/role":"nginx"}}}`, reason: ReasonNotAsked},
		{name: "asked", pod: podOf("", ""), reason: ReasonInjected},
	})
}
