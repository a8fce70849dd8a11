package injector

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Status is the value of [StatusAnnotation]: what colocate put into a pod. It is
// a record for people, for `colocate status` and for recognising our own
// containers when the API server calls again; alone it proves nothing.
type Status struct {
	// Version is 1.
	Version int    `json:"v"`
	Role    string `json:"role"`
	// Hash is "sha256:" and the hexadecimal SHA-256 over the canonical JSON of
	// the role's definition and of its colocated containers', in their order,
	// each followed by a newline.
	Hash           string   `json:"hash"`
	Containers     []string `json:"containers"`
	InitContainers []string `json:"initContainers"`
	Volumes        []string `json:"volumes"`
	// Mounts lists the mount paths in the role's own container, by its name.
	Mounts map[string][]string `json:"mounts"`
}

const statusVersion = 1

// ParseStatus reads a status annotation. It errs where the text is not a status
// of the version that this program writes.
func ParseStatus(text []byte) (Status, error) {
	var s Status
	if err := json.Unmarshal(text, &s); err != nil {
		return Status{}, fmt.Errorf("status annotation: %w", err)
	}
	if s.Version != statusVersion {
		return Status{}, fmt.Errorf("status annotation: version %d is not %d", s.Version, statusVersion)
	}
	return s, nil
}

// names reports whether the status lists the container in the list of that place.
func (s *Status) names(container string, where place) bool {
	switch where {
	case inContainers:
		return slices.Contains(s.Containers, container)
	case inInits:
		return slices.Contains(s.InitContainers, container)
	}
	return false
}

// text is the status as JSON, with empty lists written out.
func (s Status) text() []byte {
	for _, list := range []*[]string{&s.Containers, &s.InitContainers, &s.Volumes} {
		if *list == nil {
			*list = []string{}
		}
	}
	if s.Mounts == nil {
		s.Mounts = map[string][]string{}
	}
	out, _ := json.Marshal(s) // strings, an int and maps of strings cannot fail
	return out
}

// with returns the status extended by what other lists and s does not.
func (s Status) with(other Status) Status {
	s.Containers = union(s.Containers, other.Containers)
	s.InitContainers = union(s.InitContainers, other.InitContainers)
	s.Volumes = union(s.Volumes, other.Volumes)
	mounts := map[string][]string{}
	for _, m := range []map[string][]string{s.Mounts, other.Mounts} {
		for name, paths := range m {
			mounts[name] = union(mounts[name], paths)
		}
	}
	s.Mounts = mounts
	return s
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
