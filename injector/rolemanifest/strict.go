package rolemanifest

import (
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

// strict holds a value against a Kubernetes type: unknown fields (which the API
// server would drop without a word), wrong types and nulls are errors. It returns
// whether the value is fine.
func (r *reader) strict(n *yaml.Node, t reflect.Type, path string) bool {
	t = bare(t)
	if isNull(n) {
		r.add(placeOf(n, path), Error, CodeNull, fmt.Sprintf("%s is null, which Kubernetes would take for an empty value", lastOf(path)), "give it a value, or remove the key")
		return false
	}
	switch {
	case t == quantityType:
		return r.strictQuantity(n, path)
	case t == intOrString:
		if n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || isText(n)) {
			return true
		}
		return r.typeFault(n, path, "a number or text", true)
	}
	switch t.Kind() {
	case reflect.Struct:
		return r.strictStruct(n, t, path)
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			return r.typeFault(n, path, "a mapping", true)
		}
		ok := true
		for i := 0; i+1 < len(n.Content); i += 2 {
			ok = r.strict(n.Content[i+1], t.Elem(), join(path, n.Content[i].Value)) && ok
		}
		return ok
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return r.strictScalar(n, reflect.TypeFor[string](), path)
		}
		if n.Kind != yaml.SequenceNode {
			return r.typeFault(n, path, "a list", true)
		}
		ok := true
		for i, item := range n.Content {
			ok = r.strict(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i)) && ok
		}
		return ok
	}
	return r.strictScalar(n, t, path)
}

func (r *reader) strictStruct(n *yaml.Node, t reflect.Type, path string) bool {
	if n.Kind != yaml.MappingNode {
		return r.typeFault(n, path, "a mapping", true)
	}
	fields, order := r.types.fields(t)
	ok := true
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		if f, known := fields[key.Value]; known {
			ok = r.strict(value, f.typ, at) && ok
			continue
		}
		ok = false
		remedy := "correct its spelling, or remove it"
		if s := near(key.Value, order); s != "" {
			remedy = fmt.Sprintf("did you mean %q?", s)
		}
		r.add(placeOf(key, at), Error, CodeUnknownField, fmt.Sprintf("Kubernetes has no field %q in a %s", key.Value, t.Name()), remedy)
	}
	return ok
}

func (r *reader) strictScalar(n *yaml.Node, t reflect.Type, path string) bool {
	switch t.Kind() {
	case reflect.String:
		if n.Kind == yaml.ScalarNode && isText(n) {
			return true
		}
		return r.typeFault(n, path, "text", true)
	case reflect.Bool:
		if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" {
			return true
		}
		return r.typeFault(n, path, "true or false", true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v, ok := integer(n)
		if ok && !reflect.Zero(t).OverflowInt(v) {
			return true
		}
		return r.typeFault(n, path, "a whole number", true)
	}
	return r.typeFault(n, path, "a "+t.Kind().String(), true)
}

func (r *reader) strictQuantity(n *yaml.Node, path string) bool {
	if n.Kind == yaml.ScalarNode && (isText(n) || n.Tag == "!!int" || n.Tag == "!!float") {
		if _, err := resource.ParseQuantity(n.Value); err == nil {
			return true
		}
	}
	r.add(placeOf(n, path), Error, CodeWrongType, fmt.Sprintf("%s must be a quantity, not %s", lastOf(path), describe(n)), "write a number with a unit, such as 64Mi or 250m")
	return false
}
