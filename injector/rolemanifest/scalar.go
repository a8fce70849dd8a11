package rolemanifest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/pattern"
)

// typed says whether a field's value is of its key's type, and reports it where not.
func (r *reader) typed(f field, strict bool) bool {
	v := f.value
	switch f.key.Type {
	case String:
		return r.stringField(f, strict)
	case Integer:
		if _, ok := integer(v); !ok {
			return r.numberFault(f, "a whole number", strict)
		}
	case Number:
		if _, ok := number(v); !ok {
			return r.numberFault(f, "a number", strict)
		}
	case Bool:
		if v.Kind != yaml.ScalarNode || v.Tag != "!!bool" {
			return r.typeFault(v, f.path, "true or false", strict)
		}
	case PortRange, Quantity:
		if v.Kind != yaml.ScalarNode || v.Tag != "!!int" && v.Tag != "!!str" {
			return r.boundFault(f, strict)
		}
	case StringList:
		return r.stringList(f, strict)
	case StringMap:
		return r.stringMap(f, strict)
	case Mapping:
		if v.Kind != yaml.MappingNode {
			return r.typeFault(v, f.path, "a mapping", strict)
		}
	case MappingList:
		if v.Kind != yaml.SequenceNode {
			return r.typeFault(v, f.path, "a list", strict)
		}
		for i, item := range v.Content {
			if isNull(item) {
				r.typeFault(item, f.item(i).path, "a mapping", strict)
			}
		}
	}
	return true
}

func (r *reader) stringField(f field, strict bool) bool {
	if f.value.Kind != yaml.ScalarNode || !isText(f.value) {
		return r.typeFault(f.value, f.path, "text", strict)
	}
	if len(f.key.Values) == 0 || slices.Contains(f.key.Values, f.value.Value) || r.supersededValue(f) {
		return true
	}
	remedy := "use one of " + quoted(f.key.Values)
	if n := near(f.value.Value, f.key.Values); n != "" {
		remedy = fmt.Sprintf("did you mean %q? (%s)", n, remedy)
	}
	r.add(f.at(), severity(strict), CodeInvalidValue, fmt.Sprintf("%s of %s cannot be %q", f.key.Name, f.key.In[0], f.value.Value), remedy)
	return false
}

// supersededValue understands old words for a role's type.
func (r *reader) supersededValue(f field) bool {
	if f.key.Name != "type" || f.key.In[0] != InRole || !slices.Contains([]string{"sidecar", "colocated_container", "sidecar-container"}, f.value.Value) {
		return false
	}
	r.add(f.at(), Warning, CodeSuperseded, fmt.Sprintf("type %q is an old spelling", f.value.Value), `write "colocated-container"`)
	return true
}

func (r *reader) stringList(f field, strict bool) bool {
	if f.value.Kind != yaml.SequenceNode {
		return r.typeFault(f.value, f.path, "a list", strict)
	}
	ok := true
	for i, item := range f.value.Content {
		if item.Kind != yaml.ScalarNode || !isText(item) {
			ok = r.typeFault(item, f.item(i).path, "text", strict)
		}
	}
	return ok
}

func (r *reader) stringMap(f field, strict bool) bool {
	if f.value.Kind != yaml.MappingNode {
		return r.typeFault(f.value, f.path, "a mapping", strict)
	}
	ok := true
	for i := 0; i+1 < len(f.value.Content); i += 2 {
		name, v := f.value.Content[i], f.value.Content[i+1]
		if v.Kind != yaml.ScalarNode || !isText(v) {
			ok = r.typeFault(v, join(f.path, name.Value), "text", strict)
		}
	}
	return ok
}

// typeFault reports a value of the wrong type, saying what it is, and returns false.
func (r *reader) typeFault(n *yaml.Node, path, want string, strict bool) bool {
	remedy := "write " + want
	if want == "text" && n.Kind == yaml.ScalarNode && !isNull(n) {
		remedy = "quote it"
	}
	r.add(placeOf(n, path), severity(strict), CodeWrongType, fmt.Sprintf("%s must be %s, not %s", lastOf(path), want, describe(n)), remedy)
	return false
}

// boundFault reports a port or a quantity that is no number and no text.
func (r *reader) boundFault(f field, strict bool) bool {
	remedy := "write a quantity such as 64Mi"
	if f.key.Type == PortRange {
		remedy = "write a port from 1 to 65535, or a range N-M"
	}
	r.add(f.at(), severity(strict), CodeWrongType, fmt.Sprintf("%q must be a %s, not %s", f.key.Name, f.key.Type, describe(f.value)), remedy)
	return false
}

func (r *reader) numberFault(f field, want string, strict bool) bool {
	remedy := "write " + want
	if f.key.Unit != "" {
		remedy += " of " + f.key.Unit
	}
	if f.value.Kind == yaml.ScalarNode {
		m := leadingNumber().FindString(f.value.Value)
		_, err := strconv.ParseFloat(f.value.Value, 64)
		switch {
		case errors.Is(err, strconv.ErrRange), f.value.Tag == "!!int":
			remedy += " that is less huge"
		case f.value.Tag != "!!str" || m == "":
		case err != nil:
			remedy += " without a unit"
		default:
			remedy += " without quotes"
		}
	}
	r.add(f.at(), severity(strict), CodeWrongType, fmt.Sprintf("%q must be %s, not %s", f.key.Name, want, describe(f.value)), remedy)
	return false
}

var leadingNumber = pattern.New(`^[0-9]+(\.[0-9]+)?`)

func severity(strict bool) Severity {
	if strict {
		return Error
	}
	return Warning
}

// describe says what a node is: `the number 5`, `a list`.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	value := clip(n.Value)
	switch n.Tag {
	case "!!null":
		return "null"
	case "!!bool":
		return "the truth value " + value
	case "!!int", "!!float":
		return "the number " + value
	}
	return "the text " + strconv.Quote(value)
}

// clip shortens text for messages.
func clip(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

func isText(n *yaml.Node) bool { return n.Tag == "!!str" || n.Tag == "!!timestamp" }

// integer reads a whole number; YAML's own spellings (0x10, 1_000) count.
func integer(n *yaml.Node) (int64, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" {
		return 0, false
	}
	var i int64
	if err := n.Decode(&i); err != nil {
		return 0, false
	}
	return i, true
}

// number reads a finite number.
func number(n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" {
		return 0, false
	}
	var v float64
	if err := n.Decode(&v); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

func quoted(words []string) string {
	parts := make([]string, 0, len(words))
	for _, w := range words {
		parts = append(parts, strconv.Quote(w))
	}
	return strings.Join(parts, ", ")
}

// lastOf is the last part of a path, for messages.
func lastOf(path string) string {
	if path == "" {
		return "the document"
	}
	return strconv.Quote(path[strings.LastIndexByte(path, '.')+1:])
}
