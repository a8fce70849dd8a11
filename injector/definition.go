package injector

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Placement says where in a pod a colocated container goes.
type Placement string

const (
	// PlacementAuto is an ordinary container, or a native sidecar put first where
	// the pod's restartPolicy is not Always. The empty Placement means the same.
	PlacementAuto Placement = "auto"
	// PlacementContainer is an ordinary container, after the pod's own.
	PlacementContainer Placement = "container"
	// PlacementNativeFirst is a native sidecar (an init container with
	// restartPolicy Always) before the pod's own init containers.
	PlacementNativeFirst Placement = "native-first"
	// PlacementNativeLast is a native sidecar after the pod's own init containers.
	PlacementNativeLast Placement = "native-last"
	// PlacementInit is a plain init container after the pod's own; it runs to
	// completion before the role's container starts.
	PlacementInit Placement = "init"
)

// Placements are all values that a definition may give, in the order in which
// messages list them.
var Placements = []Placement{PlacementAuto, PlacementContainer, PlacementNativeFirst, PlacementNativeLast, PlacementInit}

// Origin says where a definition was read, for messages.
type Origin struct {
	// Source is what a person calls the place: `ConfigMap colocate-system/x` or a file name.
	Source string
	// Key is the key inside a ConfigMap, "" for files.
	Key string
	// Line and Column are 1-based and inside the key or file; 0 where unknown.
	Line, Column int
}

// String is `Source[key]:line:column`, without the parts that are not known.
func (o Origin) String() string {
	s := o.Source
	if o.Key != "" {
		s += "[" + o.Key + "]"
	}
	if o.Line > 0 {
		s += fmt.Sprintf(":%d:%d", o.Line, o.Column)
	}
	return s
}

// Definition is one role as it is stored: exactly one of Role, Colocated and
// Unreadable is set.
type Definition struct {
	// Name is metadata.name, a DNS-1123 label; main roles and colocated
	// containers share one name space.
	Name   string
	Origin Origin
	// JSON is the whole stored document as canonical JSON: keys sorted, no
	// insignificant space, numbers and strings as they were written. The injected
	// values and the hash are taken from it, never from the typed form.
	JSON []byte
	// Role is set for a main role.
	Role *Role
	// Colocated is set for a colocated container.
	Colocated *ColocatedContainer
	// Unreadable is set where the document could not be read and no earlier form
	// is known: the reason, for people.
	Unreadable string
}

// Role is the spec of a main role: what its pods get besides containers.
type Role struct {
	// Colocated names the colocated containers, in the order of the pod.
	Colocated []string `json:"colocated,omitempty"`
	// VolumeMounts are added to the role's own container.
	VolumeMounts []corev1.VolumeMount `json:"volumeMounts,omitempty"`
	// Volumes are added to the pod.
	Volumes []corev1.Volume `json:"volumes,omitempty"`
}

// ColocatedContainer is the spec of a colocated container.
type ColocatedContainer struct {
	Placement Placement `json:"placement,omitempty"`
	// Container is what is added; its name is the definition's.
	Container corev1.Container `json:"container"`
	// Volumes are added to the pod.
	Volumes []corev1.Volume `json:"volumes,omitempty"`
	// ImagePullSecrets are merged into the pod's by name.
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
}
