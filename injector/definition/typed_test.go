package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"colocate.dev/colocate/injector"
)

// What follows makes definitions from Go's types, for the tests of this package.

// FromRole makes the definition of a main role.
func FromRole(name string, r injector.Role, origin injector.Origin) (injector.Definition, error) {
	return fromTyped(name, injector.KindRole, r, origin)
}

// FromColocated makes the definition of a colocated container. The container may
// be without a name; it gets the definition's.
func FromColocated(name string, c injector.ColocatedContainer, origin injector.Origin) (injector.Definition, error) {
	if c.Container.Name == "" {
		c.Container.Name = name
	}
	return fromTyped(name, injector.KindColocated, c, origin)
}

// fromTyped leaves out what Go's types write although nobody set it, such as
// "resources": {}.
func fromTyped(name, kind string, spec any, origin injector.Origin) (injector.Definition, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return injector.Definition{}, fmt.Errorf("definition %q: %w", name, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		return injector.Definition{}, fmt.Errorf("definition %q: %w", name, err)
	}
	prune(tree, reflect.TypeOf(spec))
	if text, err = json.Marshal(tree); err != nil {
		return injector.Definition{}, fmt.Errorf("definition %q: %w", name, err)
	}
	return FromJSON(name, kind, text, origin)
}

// prune removes empty objects that stand for structs which cannot be absent in
// Go, and nulls. An empty object behind a pointer, as in "emptyDir": {}, stays.
func prune(v any, t reflect.Type) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			inner := below(t, key)
			prune(member, inner)
			object, isObject := member.(map[string]any)
			if member == nil || isObject && len(object) == 0 && fieldsOf(t)[key].bare {
				delete(v, key)
			}
		}
	case []any:
		for _, item := range v {
			prune(item, itemOf(t))
		}
	}
}
