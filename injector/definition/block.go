package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// blockWriter writes JSON values as YAML in block style. Its output is the same
// for the same value, whatever library versions are about.
type blockWriter struct {
	out []byte
}

// maxSimpleKey is the length up to which a key can stand before its colon on one
// line; YAML allows 1,024 characters, quotes and escapes included.
const maxSimpleKey = 120

// blockYAML is a JSON object as YAML; t gives the order of its keys.
func blockYAML(text []byte, t reflect.Type) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("stored JSON cannot be read: %w", err)
	}
	w := &blockWriter{out: make([]byte, 0, 2*len(text))}
	if len(object) == 0 {
		return []byte("{}\n"), nil
	}
	w.object(object, t, 0)
	return w.out, nil
}

// object writes the members of an object, each on its line; the first one follows
// what is on the line already.
func (w *blockWriter) object(object map[string]any, t reflect.Type, indent int) {
	for i, key := range orderedKeys(object, t) {
		if i > 0 {
			w.indent(indent)
		}
		if len(key) > maxSimpleKey {
			w.out = append(w.out, "? "...)
			w.out = appendQuoted(w.out, key)
			w.out = append(w.out, '\n')
			w.indent(indent)
		} else {
			w.out = appendText(w.out, key)
		}
		w.out = append(w.out, ':')
		w.member(object[key], below(t, key), indent)
	}
}

// member writes a value behind its key's colon, with the end of its line.
func (w *blockWriter) member(v any, t reflect.Type, indent int) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			w.out = append(w.out, '\n')
			w.indent(indent + 2)
			w.object(v, t, indent+2)
			return
		}
	case []any:
		if len(v) > 0 {
			w.out = append(w.out, '\n')
			w.list(v, t, indent)
			return
		}
	}
	w.out = append(w.out, ' ')
	w.scalar(v, indent)
}

func (w *blockWriter) list(list []any, t reflect.Type, indent int) {
	for _, item := range list {
		w.indent(indent)
		w.item(item, itemOf(t), indent)
	}
}

// item writes one item of a list behind the indentation of its dash.
func (w *blockWriter) item(v any, t reflect.Type, indent int) {
	w.out = append(w.out, "- "...)
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			w.object(v, t, indent+2)
			return
		}
	case []any:
		if len(v) > 0 {
			for i, inner := range v {
				if i > 0 {
					w.indent(indent + 2)
				}
				w.item(inner, itemOf(t), indent+2)
			}
			return
		}
	}
	w.scalar(v, indent)
}

// scalar writes a value that has nothing below it, and the end of its line.
// Literal blocks are indented by two more than indent.
func (w *blockWriter) scalar(v any, indent int) {
	switch v := v.(type) {
	case string:
		if literal(v) {
			w.literal(v, indent+2)
			return
		}
		w.out = appendText(w.out, v)
	case map[string]any:
		w.out = append(w.out, "{}"...)
	case []any:
		w.out = append(w.out, "[]"...)
	case nil:
		w.out = append(w.out, "null"...)
	default: // json.Number and bool print as they are written
		w.out = fmt.Append(w.out, v)
	}
	w.out = append(w.out, '\n')
}

func (w *blockWriter) literal(s string, indent int) {
	w.out = append(w.out, '|')
	text, ends := strings.CutSuffix(s, "\n")
	if !ends {
		w.out = append(w.out, '-')
	}
	w.out = append(w.out, '\n')
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			w.indent(indent)
			w.out = append(w.out, line...)
		}
		w.out = append(w.out, '\n')
	}
}

func (w *blockWriter) indent(n int) {
	for range n {
		w.out = append(w.out, ' ')
	}
}
