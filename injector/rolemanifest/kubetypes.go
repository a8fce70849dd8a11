package rolemanifest

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// kubeField is a field of a Kubernetes type, by its JSON name.
type kubeField struct {
	typ reflect.Type
	// mergeKey is set for lists that strategic merge joins by a key.
	mergeKey string
}

// kubeTypes remembers the fields of Kubernetes types. The zero value is ready.
type kubeTypes struct {
	structs map[reflect.Type]map[string]kubeField
	orders  map[reflect.Type][]string
}

var (
	containerType = reflect.TypeFor[corev1.Container]()
	volumesType   = reflect.TypeFor[[]corev1.Volume]()
	quantityType  = reflect.TypeFor[resource.Quantity]()
	intOrString   = reflect.TypeFor[intstr.IntOrString]()
)

// fields returns the fields of a struct type, embedded ones included, and their
// names in the order of the type.
func (k *kubeTypes) fields(t reflect.Type) (map[string]kubeField, []string) {
	if known, ok := k.structs[t]; ok {
		return known, k.orders[t]
	}
	fields, order := map[string]kubeField{}, []string(nil)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options == "inline" || f.Anonymous && name == "" {
			inner, names := k.fields(f.Type)
			for _, n := range names {
				fields[n] = inner[n]
				order = append(order, n)
			}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		field := kubeField{typ: bare(f.Type)}
		if strings.Contains(f.Tag.Get("patchStrategy"), "merge") {
			field.mergeKey = f.Tag.Get("patchMergeKey")
		}
		fields[name] = field
		order = append(order, name)
	}
	if k.structs == nil {
		k.structs, k.orders = map[reflect.Type]map[string]kubeField{}, map[reflect.Type][]string{}
	}
	k.structs[t], k.orders[t] = fields, order
	return fields, order
}

// bare is the type behind pointers.
func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// alternatives are the fields of which a value has one only: laying another over
// it takes the place of the first.
func alternatives(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[corev1.Probe]():
		return []string{"exec", "httpGet", "tcpSocket", "grpc"}
	case reflect.TypeFor[corev1.EnvVar]():
		return []string{"value", "valueFrom"}
	}
	return nil
}
