package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

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

// FromJSON makes a definition from the JSON of its spec, with the same checks as
// [Decode]; kind is injector.KindRole or injector.KindColocated. The definition
// keeps origin as it is given. The error lists all faults, without positions
// since the text has none for people.
func FromJSON(name, kind string, spec []byte, origin injector.Origin) (injector.Definition, error) {
	fail := func(err error) (injector.Definition, error) {
		return injector.Definition{}, fmt.Errorf("definition %q: %w", name, err)
	}
	text, err := envelope(name, kind, spec)
	if err != nil {
		return fail(err)
	}
	yaml, err := blockYAML(text, reflect.TypeFor[colocatedDocument]())
	if err != nil {
		return fail(err)
	}
	d, faults := decode(name+Extension, yaml, origin)
	var errs []error
	for _, f := range faults {
		if !f.Warning {
			errs = append(errs, errors.New(f.Message))
		}
	}
	if len(errs) > 0 {
		return fail(errors.Join(errs...))
	}
	if kind == injector.KindRole && !bytes.Equal(d.JSON, text) {
		return fail(errors.New("a number is beyond what YAML readers take for a number: write it as text"))
	}
	return d, nil
}

// envelope is the canonical JSON of a whole document.
func envelope(name, kind string, spec []byte) ([]byte, error) {
	canonical, err := yamldoc.Canonical(spec)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(canonical)+160), `{"apiVersion":`...)
	out = yamldoc.AppendString(out, injector.APIVersion)
	out = append(out, `,"kind":`...)
	out = yamldoc.AppendString(out, kind)
	out = append(out, `,"metadata":{"name":`...)
	out = yamldoc.AppendString(out, name)
	out = append(out, `},"spec":`...)
	return append(append(out, canonical...), '}'), nil
}
