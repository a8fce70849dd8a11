package injector

// A pod that asks without saying for what is refused rather than started bare:
// its owner meant something. Pods that are none of our business, such as mirror
// pods, have left before.
func ruleNamed(t *situation) verdict {
	if len(t.pod.annotations.role.value) == 0 {
		return refuse(ReasonInvalidAnnotation, "annotation "+RoleAnnotation+" is empty. Name the role, or remove the annotation.")
	}
	return pass
}
