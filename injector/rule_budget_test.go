package injector

import "testing"

func TestRuleBudget(t *testing.T) {
	together := func(what, all, have string) string {
		return `role "nginx": with its colocated containers this pod's containers ` + what + " " + all + " together, but the pod's own resources have " + have + ". Raise spec.resources, or leave it out."
	}
	const half = `,"resources":{"requests":{"cpu":"500m"}}`
	for _, c := range []struct{ name, placement, fields, own, inits, budget, says string }{
		{"no budget", "auto", half, `{"cpu":"9"}`, "", `{}`, ""},
		{"room", "auto", half, `{"cpu":"1500m"}`, "", `{"requests":{"cpu":2}}`, ""},
		{"no room", "auto", half, `{"cpu":"1501m"}`, "", `{"requests":{"cpu":2}}`, together("request", "2001m cpu", "2")},
		{"another resource", "auto", half, `{"memory":"1Gi"}`, "", `{"requests":{"memory":"1Gi"}}`, ""},
		{"limits count where requests are absent", "auto", `,"resources":{"limits":{"cpu":"500m"}}`, `{"cpu":"1501m"}`, "", `{"requests":{"cpu":2}}`, together("request", "2001m cpu", "2")},
		{"an init container runs before", "init", half, `{"cpu":"2"}`, "", `{"requests":{"cpu":2}}`, ""},
		{"an init container by itself", "init", `,"resources":{"requests":{"cpu":"3"}}`, `{"cpu":"2"}`, "", `{"requests":{"cpu":2}}`, together("request", "3 cpu", "2")},
		{"a sidecar beside an init container", "native-first", half, `{"cpu":"1"}`, `{"name":"s","resources":{"requests":{"cpu":"1600m"}}}`, `{"requests":{"cpu":2}}`, together("request", "2100m cpu", "2")},
		{"a sidecar behind an init container", "native-last", half, `{"cpu":"1"}`, `{"name":"s","resources":{"requests":{"cpu":"1600m"}}}`, `{"requests":{"cpu":2}}`, ""},
		{"limit of one container", "auto", `,"resources":{"limits":{"memory":"2Gi"}}`, `{"cpu":1}`, "", `{"limits":{"memory":"1Gi"}}`, `role "nginx": colocated container "log-forwarder" has a limit of 2Gi memory, but this pod as a whole has 1Gi. Raise spec.resources, or leave it out.`},
		{"limits of containers may add up to more", "auto", `,"resources":{"limits":{"memory":"1Gi"},"requests":{"memory":0}}`, `{"memory":"1Gi"}`, "", `{"limits":{"memory":"1Gi"}}`, ""},
		{"requests may not be more than the limit", "auto", `,"resources":{"limits":{"memory":"1Gi"}}`, `{"memory":"1Gi"}`, "", `{"limits":{"memory":"1Gi"}}`, together("request", "2Gi memory", "1Gi")},
		{"huge pages may not", "auto", `,"resources":{"limits":{"hugepages-2Mi":"2Mi","cpu":1}}`, `{"hugepages-2Mi":"2Mi"}`, "", `{"limits":{"hugepages-2Mi":"2Mi"}}`, together("request", "4Mi hugepages-2Mi", "2Mi")},
	} {
		pod := containersOf(`{"name":"nginx","resources":{"requests":`+c.own+`,"limits":`+c.own+`}}`, `"initContainers":[`+c.inits+`],"resources":`+c.budget+`,`)
		v := verdictCase{name: c.name, pod: pod, reason: ReasonInjected, says: c.says}
		if c.says != "" {
			v.reason = ReasonNoRoom
		}
		checkVerdicts(t, snapshotOf(t, plainRole, helperOf(c.placement, c.fields)), Creation(), []verdictCase{v})
	}
}
