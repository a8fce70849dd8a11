package injector

// Before the first definitions are loaded nothing is known about any role. The
// API server is asked to try again rather than told that the role is unknown.
func ruleLoaded(t *situation) verdict {
	if t.snapshot != nil {
		return pass
	}
	return verdict{true, Unavailable, ReasonNoSnapshot, "no definitions are loaded yet; try again."}
}
