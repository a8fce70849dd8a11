package injector

import "bytes"

// where says in which list of the pod a colocated container stands, and whether
// it is a native sidecar there. native is the meaning of auto for this pod.
func (k *colocated) where(native bool) (place, bool) {
	switch k.placement {
	case PlacementNativeFirst, PlacementNativeLast:
		return inInits, true
	case PlacementInit:
		return inInits, false
	case PlacementAuto:
		if native {
			return inInits, true
		}
	}
	return inContainers, false
}

// first reports whether the container goes before the pod's own init containers.
func (k *colocated) first() bool {
	return k.placement == PlacementNativeFirst || k.placement == PlacementAuto
}

// runsBeside reports whether the container runs at the same time as the others:
// a plain init container does not.
func (k *colocated) runsBeside() bool { return k.placement != PlacementInit }

// content is the container as it stands in a pod of that kind.
func (k *colocated) content(native bool) []byte {
	if _, sidecar := k.where(native); sidecar {
		return k.native
	}
	return k.raw
}

// autoIsNative reports whether auto means a native sidecar in this pod: one that
// is meant to end. An absent restartPolicy means Always.
func (p *Pod) autoIsNative() bool {
	return len(p.restart) > 0 && string(p.restart) != "Always"
}

// statusText is the prepared status of a role as part of a JSON string, cut where
// the name of the pod's main container stands; tail is empty where the role
// mounts nothing in it.
type statusText struct{ head, tail []byte }

// mainMark stands for the name of the main container while a status is prepared.
// A container cannot be called so.
const mainMark = "{main}"

func compileStatus(r *role, native bool) statusText {
	head, tail, _ := bytes.Cut(r.statusOf(native, mainMark).text(), []byte(`"`+mainMark+`"`))
	return statusText{quoted(head), quoted(tail)}
}

func quoted(s []byte) []byte {
	q := AppendString(nil, s)
	return q[1 : len(q)-1]
}

// statusOf is the status of a pod that has everything of the role.
func (r *role) statusOf(native bool, main string) Status {
	s := Status{Version: statusVersion, Role: r.name, Hash: r.hash}
	for _, k := range r.colocated {
		if where, _ := k.where(native); where == inInits {
			s.InitContainers = append(s.InitContainers, k.name)
		} else {
			s.Containers = append(s.Containers, k.name)
		}
	}
	for _, v := range r.volumes {
		s.Volumes = append(s.Volumes, v.name)
	}
	for _, m := range r.mounts {
		if s.Mounts == nil {
			s.Mounts = map[string][]string{}
		}
		s.Mounts[main] = append(s.Mounts[main], m.path)
	}
	return s
}

// append appends the status of a pod with that main container as a JSON string.
// The name is quoted twice: in the status, and with it; scratch is for that.
func (t *statusText) append(dst, main []byte, scratch *[]byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, t.head...)
	if len(t.tail) > 0 {
		*scratch = AppendString((*scratch)[:0], main)
		at := len(dst)
		dst = AppendString(dst, *scratch)
		dst = append(dst[:at], dst[at+1:len(dst)-1]...)
		dst = append(dst, t.tail...)
	}
	return append(dst, '"')
}
