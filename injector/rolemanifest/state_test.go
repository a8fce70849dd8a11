package rolemanifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Every volume source of the vendored Kubernetes is either on the list of what
// keeps no state or refused; one that a later version adds is refused until
// someone puts it on the list.
func TestVolumeSources(t *testing.T) {
	for f := range fieldsOf(reflect.TypeFor[corev1.VolumeSource]()) {
		manifest := fmt.Sprintf(`roles:
- name: web
  colocated_containers: [agent]
- name: agent
  type: colocated-container
  container: {image: 'example.org/a:1'}
  volumes:
  - {name: v, %s: {}}
`, f)
		refused := false
		for _, d := range Read("state.yml", []byte(manifest), Options{}).Diagnostics {
			refused = refused || d.Code == CodePersistentState && d.Severity == Error && d.Line == 8
		}
		if want := !slices.Contains(stateless, f); refused != want {
			t.Errorf("source %q: refused is %v, want %v", f, refused, want)
		}
	}
	for _, s := range stateless {
		if !fieldsOf(reflect.TypeFor[corev1.VolumeSource]())[s] {
			t.Errorf("%q is on the list and no source", s)
		}
	}
}

func fieldsOf(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}
