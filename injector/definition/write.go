package definition

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	corev1 "k8s.io/api/core/v1"
)

// Write prints ConfigMaps as YAML documents, the definitions as literal blocks.
// The same ConfigMaps give the same bytes.
func Write(w io.Writer, maps []*corev1.ConfigMap) error {
	for i, cm := range maps {
		text, err := json.Marshal(cm)
		if err != nil {
			return fmt.Errorf("ConfigMap %s/%s: %w", cm.Namespace, cm.Name, err)
		}
		out, err := blockYAML(text, reflect.TypeFor[corev1.ConfigMap]())
		if err != nil {
			return fmt.Errorf("ConfigMap %s/%s: %w", cm.Namespace, cm.Name, err)
		}
		if i > 0 {
			out = append([]byte("---\n"), out...)
		}
		if _, err := w.Write(out); err != nil {
			return fmt.Errorf("ConfigMap %s/%s cannot be written: %w", cm.Namespace, cm.Name, err)
		}
	}
	return nil
}
