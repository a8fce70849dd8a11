package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// explain says at which places a document does not fit a Go type: unknown
// fields and values of another kind. JSON decoders say it for the first such
// place only, and without a position.
func explain(root *yaml.Node, t reflect.Type) []problem {
	e := &explainer{}
	e.value(root, t, "")
	return e.problems
}

// problem is something wrong at a node.
type problem struct {
	at      *yaml.Node
	message string
}

// maxProblems bounds what is listed for one document.
const maxProblems = 100

type explainer struct {
	problems []problem
}

func (e *explainer) add(at *yaml.Node, path, format string, args ...any) {
	if len(e.problems) >= maxProblems {
		return
	}
	message := fmt.Sprintf(format, args...)
	if path != "" {
		message = path + ": " + message
	}
	e.problems = append(e.problems, problem{at: at, message: message})
}

func (e *explainer) value(n *yaml.Node, t reflect.Type, path string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // said when the text was read
	}
	t = deref(t)
	if ownReader(t) {
		e.ownReader(n, t, path)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		e.object(n, t, path)
	case reflect.Map:
		if e.kind(n, path, "a mapping", n.Kind == yaml.MappingNode) {
			for i := 0; i+1 < len(n.Content); i += 2 {
				e.value(n.Content[i+1], t.Elem(), join(path, n.Content[i].Value))
			}
		}
	case reflect.Slice:
		if e.kind(n, path, "a list", n.Kind == yaml.SequenceNode) {
			for i, item := range n.Content {
				e.value(item, t.Elem(), path+"["+strconv.Itoa(i)+"]")
			}
		}
	case reflect.String:
		if e.kind(n, path, "text", n.Kind == yaml.ScalarNode) && !isText(n) {
			e.add(n, path, "%s is a %s here, text is wanted: quote it", n.Value, scalarName(n))
		}
	case reflect.Bool:
		e.kind(n, path, "true or false", n.Kind == yaml.ScalarNode && n.Tag == "!!bool")
	default:
		e.number(n, t, path)
	}
}

// object checks the fields of a mapping against those of a struct.
func (e *explainer) object(n *yaml.Node, t reflect.Type, path string) {
	if !e.kind(n, path, "a mapping", n.Kind == yaml.MappingNode) {
		return
	}
	fields := structs()[t]
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f, known := fields[key.Value]
		if !known {
			e.add(key, path, "unknown field %q: %s", key.Value, meant(key.Value, fields))
			continue
		}
		e.value(value, f.typ, join(path, key.Value))
	}
}

// meant is the remedy for an unknown field.
func meant(name string, fields map[string]field) string {
	known := slices.Sorted(maps.Keys(fields))
	if near := injector.Near(name, known); len(near) > 0 {
		return "did you mean " + injector.QuoteList(near, "or") + "?"
	}
	for _, outer := range known {
		if _, inner := structs()[deref(fields[outer].typ)][name]; inner {
			return fmt.Sprintf("it belongs in %q", outer)
		}
	}
	switch {
	case len(known) == 1:
		return "only " + injector.QuoteList(known, "") + " is known here"
	case len(known) <= 10:
		return injector.QuoteList(known, "and") + " are known here"
	}
	return "correct it, or remove it"
}

// ownReader lets the type itself judge a value.
func (e *explainer) ownReader(n *yaml.Node, t reflect.Type, path string) {
	text, err := yamldoc.JSON(n)
	if err != nil {
		return // not a number that JSON has: said elsewhere
	}
	if err := json.Unmarshal(text, reflect.New(t).Interface()); err != nil {
		e.add(n, path, "%s cannot be read as a %s: %v", short(text), typeName(t), err)
	}
}

func (e *explainer) number(n *yaml.Node, t reflect.Type, path string) {
	if !e.kind(n, path, "a number", n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float")) {
		return
	}
	text, err := yamldoc.Number(n)
	if err != nil {
		return
	}
	if json.Unmarshal([]byte(text), reflect.New(t).Interface()) != nil {
		e.add(n, path, "%s is no whole number that fits here: write an integer of at most %d bits", n.Value, t.Bits())
	}
}

// kind says that n should be something else unless ok.
func (e *explainer) kind(n *yaml.Node, path, want string, ok bool) bool {
	if !ok {
		e.add(n, path, "%s is wanted here, found %s", want, nodeName(n))
	}
	return ok
}

func isText(n *yaml.Node) bool {
	switch n.Tag {
	case "!!int", "!!float", "!!bool", "!!null":
		return false
	}
	return true
}

func nodeName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "the " + scalarName(n) + " " + short([]byte(n.Value))
}

func scalarName(n *yaml.Node) string {
	switch n.Tag {
	case "!!int", "!!float":
		return "number"
	case "!!bool":
		return "truth value"
	case "!!null":
		return "null"
	}
	return "text"
}

func typeName(t reflect.Type) string {
	switch t.Name() {
	case "Quantity":
		return `quantity such as "64Mi" or "100m"`
	case "IntOrString":
		return "number or text"
	}
	return strings.ToLower(t.Name())
}

// short cuts a text that is too long for a message.
func short(text []byte) string {
	const limit = 60
	runes := []rune(string(text))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit]) + "…"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
