package injector

// A pod asks by naming its role in an annotation.
func ruleAsked(t *situation) verdict {
	if !t.pod.annotations.role.set {
		return verdict{true, Untouched, ReasonNotAsked, ""}
	}
	return pass
}
