package definition

import (
	"fmt"
	"reflect"

	"colocate.dev/colocate/injector"
)

// Encode writes a definition as readable YAML, such that [Decode] gives the same
// JSON again. The same definition gives the same bytes. A definition that could
// not be read is an error.
func Encode(d injector.Definition) ([]byte, error) {
	t := documentType(d)
	if t == nil || len(d.JSON) == 0 {
		return nil, fmt.Errorf("definition %q has no document: read it again from where it is stored", d.Name)
	}
	out, err := blockYAML(d.JSON, t)
	if err != nil {
		return nil, fmt.Errorf("definition %q: %w", d.Name, err)
	}
	return out, nil
}

// documentType is the type of a definition's document, nil where it has none.
func documentType(d injector.Definition) reflect.Type {
	switch {
	case d.Role != nil:
		return reflect.TypeFor[roleDocument]()
	case d.Colocated != nil:
		return reflect.TypeFor[colocatedDocument]()
	}
	return nil
}
