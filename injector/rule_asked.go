package injector

// A pod asks by naming its role in an annotation.
func ruleAsked(t *situation) verdict {
	if !t.pod.annotations.role.set {
		return verdict{true, Untouched, ReasonNotAsked, ""}
	}
	if len(t.pod.annotations.role.value) == 0 {
		return refuse(ReasonInvalidAnnotation, "annotation "+RoleAnnotation+" is empty. Name the role, or remove the annotation.")
	}
	return pass
}
