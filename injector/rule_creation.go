package injector

// Colocated containers are added when a pod is created: the API server allows no
// container to be added later, and a sub-resource such as ephemeralcontainers is
// not the pod.
func ruleCreation(t *situation) verdict {
	switch {
	case t.attr.Resource != "pods":
		return verdict{true, Untouched, ReasonNotAPod, ""}
	case t.attr.SubResource != "":
		return verdict{true, Untouched, ReasonSubResource, ""}
	case t.attr.Operation != "CREATE":
		return verdict{true, Untouched, ReasonNotCreate, ""}
	}
	return pass
}
