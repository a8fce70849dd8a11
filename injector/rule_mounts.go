package injector

import (
	"fmt"
	"path"
)

// A path in the role's own container can hold one volume.
func ruleMounts(t *situation) verdict {
	for i := range t.role.mounts {
		m := &t.role.mounts[i]
		for j := range t.pod.mountsOf(t.main) {
			if have := &t.pod.mountsOf(t.main)[j]; m.isAt(have.path) && !t.holdsMount(m, have) {
				return t.mountClash(m, fmt.Sprintf("volume %q", clip(have.name)))
			}
		}
		for _, have := range t.pod.devicesOf(t.main) {
			if m.isAt(have.path) {
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
		if m.isAt(have.path) {
			return true
		}
	}
	return false
}

// isAt compares paths as the kernel would: /mnt/x, /mnt/x/ and /mnt//x are one.
func (m *mount) isAt(where []byte) bool {
	if isClean(where) {
		return string(where) == m.clean
	}
	return path.Clean(string(where)) == m.clean
}

// isClean reports whether path.Clean surely changes nothing, which saves its copy.
func isClean(where []byte) bool {
	if len(where) == 0 || where[0] == '.' || len(where) > 1 && where[len(where)-1] == '/' {
		return false
	}
	for i, x := range where[1:] {
		if where[i] == '/' && (x == '/' || x == '.') {
			return false
		}
	}
	return true
}
