package injector

import "fmt"

// A pod may keep its role and be left alone for now.
func ruleSwitch(t *situation) verdict {
	a := t.pod.annotations.inject
	switch {
	case !a.set || string(a.value) == "true":
		return pass
	case string(a.value) == "false":
		return verdict{true, Untouched, ReasonInjectionDisabled, "the pod says " + InjectAnnotation + `: "false".`}
	}
	return refuse(ReasonInvalidAnnotation, fmt.Sprintf(`annotation %s is %q. It can be "true" or "false".`, InjectAnnotation, clip(a.value)))
}
