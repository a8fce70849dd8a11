package injector

import "fmt"

// A path in the role's own container can hold one volume.
func ruleMounts(t *situation) verdict {
	for i := range t.role.mounts {
		m := &t.role.mounts[i]
		for _, have := range t.pod.mountsOf(t.main) {
			if samePath(string(have.path), m.path) && !t.holdsMount(m, &have) {
				return t.mountClash(m, fmt.Sprintf("volume %q", clip(have.name)))
			}
		}
		for _, have := range t.pod.devicesOf(t.main) {
			if samePath(string(have.path), m.path) {
				return t.mountClash(m, fmt.Sprintf("block device %q", clip(have.name)))
			}
		}
	}
	return pass
}

func (t *situation) mountClash(m *mount, theirs string) verdict {
	return refuse(ReasonMountClash, fmt.Sprintf("role %q: container %q has %s at %q, where the role mounts volume %q. Change one of the two paths.", t.role.name, clip(t.main.name), theirs, m.path, m.volume))
}

// mounted reports whether the main container has the mount already.
func (t *situation) mounted(m *mount) bool {
	for _, have := range t.pod.mountsOf(t.main) {
		if samePath(string(have.path), m.path) {
			return true
		}
	}
	return false
}
