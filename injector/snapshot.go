package injector

import "slices"

// Snapshot is all definitions, checked and compiled by [Compile]. It is
// immutable and safe for any number of readers. The nil Snapshot means that
// nothing is loaded yet.
type Snapshot struct {
	roles     map[string]*role
	colocated map[string]*sound // nil for one that is not sound
	names     []string          // of roles, sorted
	fixed     marshalled
}

// role is a main role, ready to be put into pods.
type role struct {
	name string
	hash string
	// from is set where the role is as it should be, without so much as a warning.
	from *Role
	// rejected is set where the role cannot be used; the rest is empty then.
	rejected *Fault

	colocated []*colocated
	volumes   []volume
	mounts    []mount // of the role's own container
	secrets   []secret

	status [2]statusText // by the meaning of auto: ordinary container, native sidecar
}

// colocated is a colocated container, shared by the roles that list it.
type colocated struct {
	name      string
	image     string
	placement Placement
	raw       []byte // the container as it is added as an ordinary or init container
	native    []byte // the same with restartPolicy Always
	// ordinaryOp and nativeOp are what follows the index in the path of the
	// operation that adds raw and native.
	ordinaryOp, nativeOp []byte
	ports                []port
	mounts               []mountRef
	needs                *needs // nil where it suits any pod
}

type port struct {
	name, protocol, hostIP string
	number, host           int32
}

// mountRef is a mount of a colocated container: the volume's name and the path.
type mountRef struct{ volume, path string }

type volume struct {
	name   string
	source string
	raw    []byte
	op     []byte
}

type mount struct {
	mountRef
	clean string // the path without trailing and doubled slashes
	raw   []byte
	op    []byte // what follows the container's index in the path
}

type secret struct {
	name string
	op   []byte
}

// RoleInfo describes one main role of a snapshot.
type RoleInfo struct {
	Name string
	// Hash is that of [Status]; "" for a rejected role.
	Hash      string
	Colocated []string
	// Rejected is the reason for which pods of the role are refused, "" where
	// they are not, and Message its sentence.
	Rejected Reason
	Message  string
}

// Roles returns the main roles, sorted by name.
func (s *Snapshot) Roles() []RoleInfo {
	if s == nil {
		return nil
	}
	out := make([]RoleInfo, 0, len(s.names))
	for _, name := range s.names {
		out = append(out, s.roles[name].info())
	}
	return out
}

func (r *role) info() RoleInfo {
	info := RoleInfo{Name: r.name, Hash: r.hash}
	for _, c := range r.colocated {
		info.Colocated = append(info.Colocated, c.name)
	}
	if r.rejected != nil {
		info.Rejected, info.Message = r.rejected.Reason, r.rejected.Message
	}
	return info
}

// Role returns the main role of the given name, and false where there is none.
func (s *Snapshot) Role(name string) (RoleInfo, bool) {
	if s == nil || s.roles[name] == nil {
		return RoleInfo{}, false
	}
	return s.roles[name].info(), true
}

// Hash returns the [Status] hash of the main role of the given name, and false
// where there is none or it is rejected.
func (s *Snapshot) Hash(name string) (string, bool) {
	if s == nil || s.roles[name] == nil || s.roles[name].rejected != nil {
		return "", false
	}
	return s.roles[name].hash, true
}

// Size returns the number of main roles and how many of them can be used.
func (s *Snapshot) Size() (roles, valid int) {
	if s == nil {
		return 0, 0
	}
	for _, r := range s.roles {
		if r.rejected == nil {
			valid++
		}
	}
	return len(s.roles), valid
}

func (r *role) member(name string) bool {
	return slices.ContainsFunc(r.colocated, func(c *colocated) bool { return c.name == name })
}
