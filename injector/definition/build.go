package definition

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

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
