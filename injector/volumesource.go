package injector

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const emptyDirSource = "emptyDir"

// allowedSources are the volume sources that keep no persistent state. The list
// is of what is allowed, so that a source which a later Kubernetes adds is
// refused until someone has thought about it.
var allowedSources = []string{emptyDirSource, "configMap", "secret", "downwardAPI", "projected", "image"}

func allowedSource(name string) bool {
	for _, s := range allowedSources {
		if s == name {
			return true
		}
	}
	return false
}

// sourcesOf returns the JSON names of the sources that a volume has set; a valid
// volume has at most one, and none means emptyDir.
func sourcesOf(v *corev1.Volume) (names []string) {
	s := reflect.ValueOf(&v.VolumeSource).Elem()
	for i := range s.NumField() {
		if !s.Field(i).IsZero() {
			name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// sourceKind is what people call a volume source, with its article.
func sourceKind(source string) string {
	switch source {
	case "persistentVolumeClaim":
		return "a PersistentVolumeClaim"
	case "ephemeral":
		return "a generic ephemeral volume (a claim of its own)"
	case "hostPath":
		return "a hostPath"
	case "csi":
		return "a CSI volume"
	case "nfs":
		return "an NFS share"
	case "iscsi":
		return "an iSCSI disk"
	}
	return "a volume of the kind " + source
}
