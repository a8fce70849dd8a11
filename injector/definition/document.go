package definition

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
	kjson "sigs.k8s.io/json"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// Extension is the end of every key that holds a definition.
const Extension = ".yaml"

const (
	// maxNodes and maxBytes bound one document with its aliases expanded. A
	// ConfigMap has at most 1 MiB, so only aliases come near.
	maxNodes = 200_000
	maxBytes = 4 << 20
)

// Decode reads the document of one key of a ConfigMap. Origin gives the Source;
// Decode adds the key, and to faults the line and column inside the key.
//
// Where a fault is no warning, the definition is named after the key and has
// Unreadable set; otherwise it has JSON and either Role or Colocated.
func Decode(key string, data []byte, origin injector.Origin) (injector.Definition, []injector.Fault) {
	origin.Key, origin.Line, origin.Column = key, 0, 0
	return decode(key, data, origin)
}

func decode(key string, data []byte, origin injector.Origin) (injector.Definition, []injector.Fault) {
	r := &reader{name: strings.TrimSuffix(key, Extension), origin: origin}
	d := injector.Definition{Name: r.name, Origin: origin}
	if root := r.parse(data); root != nil {
		r.read(root, key, &d)
	}
	slices.SortStableFunc(r.faults, func(a, b injector.Fault) int {
		return cmp.Or(cmp.Compare(a.Origin.Line, b.Origin.Line), cmp.Compare(a.Origin.Column, b.Origin.Column))
	})
	if reason := unreadable(r.faults); reason != "" {
		return injector.Definition{Name: r.name, Origin: origin, Unreadable: reason}, r.faults
	}
	return d, r.faults
}

// unreadable sums faults up: the first, and how many follow. Warnings do not count.
func unreadable(faults []injector.Fault) string {
	first, more := "", 0
	for _, f := range faults {
		switch {
		case f.Warning:
		case first == "":
			first = f.Message
			if f.Origin.Line > 0 {
				first = fmt.Sprintf("%d:%d: %s", f.Origin.Line, f.Origin.Column, f.Message)
			}
		default:
			more++
		}
	}
	if more > 0 {
		return fmt.Sprintf("%s (and %d more)", first, more)
	}
	return first
}

// reader reads one document and collects what is wrong with it.
type reader struct {
	name   string
	origin injector.Origin
	faults []injector.Fault
}

func (r *reader) fault(line, column int, warning bool, message string) {
	at := r.origin
	at.Line, at.Column = line, column
	reason := injector.ReasonUnreadableDefinition
	if warning {
		reason = injector.ReasonInvalidDefinition
	}
	r.faults = append(r.faults, injector.Fault{Origin: at, Name: r.name, Reason: reason, Message: message, Warning: warning})
}

func (r *reader) faultf(n *yaml.Node, format string, args ...any) {
	r.fault(n.Line, n.Column, false, fmt.Sprintf(format, args...))
}

func (r *reader) parse(data []byte) *yaml.Node {
	root, errs := yamldoc.Parse(data, yamldoc.Options{
		StringKeys: true, RefuseAmbiguous: true, KeepGoing: true, MaxNodes: maxNodes, MaxBytes: maxBytes,
	})
	for _, e := range errs {
		r.fault(e.Line, e.Column, false, e.Text())
	}
	return root
}

// read fills d from the tree of a document.
func (r *reader) read(root *yaml.Node, key string, d *injector.Definition) {
	if root.Kind != yaml.MappingNode {
		r.faultf(root, "a definition is wanted here, found %s: begin with apiVersion, kind, metadata and spec", nodeName(root))
		return
	}
	kind := r.envelope(root, key)
	if kind == "" {
		return
	}
	if kind == injector.KindColocated {
		root = r.colocated(root)
	}
	r.modes(root, "")
	text, err := yamldoc.JSON(root)
	if err != nil {
		r.jsonError(root, err)
	}
	switch kind {
	case injector.KindRole:
		var doc roleDocument
		if r.decode(root, text, &doc) {
			d.Role = &doc.Spec
		}
	case injector.KindColocated:
		var doc colocatedDocument
		if r.decode(root, text, &doc) {
			d.Colocated = &doc.Spec
		}
	}
	d.JSON = text
}

// decode reads JSON into a document. Where the decoder refuses it, the tree is
// compared with the type to find all places and their positions.
func (r *reader) decode(root *yaml.Node, text []byte, doc any) bool {
	var strict []error
	var err error
	if text != nil {
		strict, err = kjson.UnmarshalStrict(text, doc)
		if err == nil && len(strict) == 0 {
			return true
		}
	}
	problems := explain(root, reflect.TypeOf(doc))
	for _, p := range problems {
		r.faultf(p.at, "%s", p.message)
	}
	if len(problems) > 0 || text == nil {
		return false
	}
	for _, e := range append(strict, err) {
		if e != nil {
			r.decoderError(root, e)
		}
	}
	return false
}

// decoderError reports what only the JSON decoder refuses.
func (r *reader) decoderError(root *yaml.Node, err error) {
	at := root
	var field kjson.FieldError
	if errors.As(err, &field) {
		key, value, exact := yamldoc.Find(root, field.FieldPath())
		at = value
		if exact && key != nil {
			at = key
		}
	}
	r.faultf(at, "%v", err)
}

func (r *reader) jsonError(root *yaml.Node, err error) {
	var e *yamldoc.Error
	if errors.As(err, &e) {
		r.fault(e.Line, e.Column, false, e.Text())
		return
	}
	r.faultf(root, "%v", err)
}
