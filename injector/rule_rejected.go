package injector

// A role whose definition was rejected when it was loaded is refused with that
// reason: half of a role is not what its author asked for.
func ruleRejected(t *situation) verdict {
	if f := t.role.rejected; f != nil {
		return refuse(f.Reason, f.Message)
	}
	return pass
}
