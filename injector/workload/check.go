package workload

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// expected is the document's JSON with the changes made to it, independently of
// the editor.
func (d *document) expected(changes []change) (any, error) {
	raw, err := d.json(d.root)
	if err != nil {
		return nil, err
	}
	want, err := decode(raw)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		for _, op := range c.ops {
			value, err := decode(op.Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", op.Path, err)
			}
			path := append(append(append([]string{}, c.path...), c.pod...), tokens(op.Path)...)
			if want, err = add(want, path, value); err != nil {
				return nil, fmt.Errorf("%s: %w", op.Path, err)
			}
		}
	}
	for i := len(changes) - 1; i >= 0; i-- {
		if changes[i].remove {
			if want, err = without(want, changes[i].path); err != nil {
				return nil, err
			}
		}
	}
	return want, nil
}

// without takes a list item away.
func without(doc any, path []string) (any, error) {
	switch at := doc.(type) {
	case map[string]any:
		next, err := without(at[path[0]], path[1:])
		at[path[0]] = next
		return at, err
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(at) {
			return nil, fmt.Errorf("%q is not an element of a list of %d", path[0], len(at))
		}
		if len(path) == 1 {
			return append(at[:i], at[i+1:]...), nil
		}
		at[i], err = without(at[i], path[1:])
		return at, err
	}
	return nil, errors.New("only items of lists can be left out")
}

// check compares the meaning of an edited text with what it should be.
func (d *document) check(text []byte, want any) error {
	const remedy = "the additions cannot be written into this text; write the object in block style and without aliases"
	edited, err := parse(text, d.first)
	if err != nil || edited.root == nil {
		return &Error{Line: d.first, Column: 1, Message: remedy}
	}
	raw, err := edited.json(edited.root)
	if err != nil {
		return &Error{Line: d.first, Column: 1, Message: remedy}
	}
	got, err := decode(raw)
	if err != nil || !reflect.DeepEqual(got, want) {
		return &Error{Line: d.first, Column: 1, Message: remedy}
	}
	return nil
}
