package injector

// find looks for the role's colocated containers among the pod's. One counts as
// ours where it has the name and the place, and either the status carries the
// role's current hash or its content is that of the definition. The hash is
// needed because between two calls of one admission others change our
// containers: the defaulter, LimitRanger, a policy that rewrites images. A status
// with another hash that names the container keeps it too: then it is outdated.
func (t *situation) find() {
	for _, k := range t.role.colocated {
		c := t.pod.container(k.name)
		if c != nil && !t.isOurs(k, c) {
			c = nil
		}
		t.found = append(t.found, c)
	}
}

func (t *situation) isOurs(k *colocated, c *podContainer) bool {
	where, sidecar := k.where(t.native)
	inPlace := c.place == where && (where != inInits || sidecar == (string(c.restart) == "Always"))
	switch {
	case inPlace && t.statusIsCurrent():
		return true
	case inPlace && sameContainer(c.raw, k.content(t.native)):
		return true
	case t.hasStatus && !t.statusIsCurrent() && t.status.names(k.name, c.place):
		t.outdated = true
		return true
	}
	return false
}

// holdsVolume reports whether a volume of the pod is the role's: equal in every
// field that the definition sets, or kept from an earlier definition.
func (t *situation) holdsVolume(v *volume, have *podVolume) bool {
	if have.template || !have.allowed {
		return false
	}
	if sameVolume(have.raw, v.raw) {
		return true
	}
	if t.hasStatus && !t.statusIsCurrent() && contains(t.status.Volumes, v.name) {
		t.outdated = true
		return true
	}
	return false
}

// holdsMount is holdsVolume for a mount of the main container.
func (t *situation) holdsMount(m *mount, have *podMount) bool {
	if sameMount(have.raw, m.raw) {
		return true
	}
	if t.hasStatus && !t.statusIsCurrent() && contains(t.status.Mounts[string(t.main.name)], m.path) {
		t.outdated = true
		return true
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
