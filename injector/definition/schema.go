package definition

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"colocate.dev/colocate/injector"
)

// document is one stored definition with the spec S of its kind.
type document[S any] struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       S        `json:"spec"`
}

// metadata has a name only: labels and annotations have no meaning here.
type metadata struct {
	Name string `json:"name"`
}

type (
	roleDocument      = document[injector.Role]
	colocatedDocument = document[injector.ColocatedContainer]
)

// field is one JSON field of a struct.
type field struct {
	name string
	typ  reflect.Type
	rank int // position in the Go struct
	// bare is true for a struct that is neither optional nor read by code of its
	// own: encoding/json writes it as {} where it is empty.
	bare bool
}

// structs has the JSON fields of every struct that a document reaches, computed
// on first use and then only read.
var structs = sync.OnceValue(func() map[reflect.Type]map[string]field {
	table := map[reflect.Type]map[string]field{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[roleDocument](), reflect.TypeFor[colocatedDocument](), reflect.TypeFor[corev1.ConfigMap](),
	} {
		collect(table, t)
	}
	return table
})

// collect adds t and what it reaches to the table.
func collect(table map[reflect.Type]map[string]field, t reflect.Type) {
	t = element(t)
	if t.Kind() != reflect.Struct || table[t] != nil || ownReader(t) {
		return
	}
	fields := map[string]field{}
	table[t] = fields
	addFields(fields, t)
	for _, f := range fields {
		collect(table, f.typ)
	}
}

// addFields adds the fields of t, those of inlined structs among them.
func addFields(fields map[string]field, t reflect.Type) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case name == "-" || !sf.IsExported():
			continue
		case name == "" && sf.Anonymous, strings.Contains(options, "inline"):
			addFields(fields, element(sf.Type))
			continue
		case name == "":
			name = sf.Name
		}
		bare := sf.Type.Kind() == reflect.Struct && !ownReader(sf.Type)
		fields[name] = field{name: name, typ: sf.Type, rank: len(fields), bare: bare}
	}
}

// element is what pointers, lists and maps of t hold in the end.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// ownReader says whether values of t read their JSON themselves, as quantities do.
func ownReader(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// deref takes pointers off a type.
func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
