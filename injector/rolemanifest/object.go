package rolemanifest

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// place is where something stands in the file.
type place struct {
	line, column int
	path         string
}

func placeOf(n *yaml.Node, path string) place { return place{n.Line, n.Column, path} }

// position is `line:column`, for messages that name a second place.
func (p place) position() string { return fmt.Sprintf("%d:%d", p.line, p.column) }

// field is one key of a mapping that the reader knows, with a value of the
// key's type.
type field struct {
	key   *Key
	name  *yaml.Node
	value *yaml.Node
	path  string
}

func (f field) at() place     { return placeOf(f.value, f.path) }
func (f field) nameAt() place { return placeOf(f.name, f.path) }
func (f field) present() bool { return f.value != nil }
func (f field) text() string  { return textOf(f.value) }
func (f field) truth() bool   { return f.value != nil && strings.EqualFold(f.value.Value, "true") }
func (f field) item(i int) place {
	return placeOf(f.value.Content[i], fmt.Sprintf("%s[%d]", f.path, i))
}

func textOf(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// object is a mapping whose keys have been held against the table.
type object struct {
	at     place
	node   *yaml.Node
	fields []field
}

// wrote says whether a key has a value, also where it is faulty and therefore not
// among the fields.
func (o object) wrote(name string) bool {
	_, value := yamldoc.Pair(o.node, name)
	return value != nil && !isNull(value)
}

// get returns the field of a key, by today's spelling; the zero field where it
// is absent, null or faulty.
func (o object) get(name string) field {
	for _, f := range o.fields {
		if f.key.Name == name || f.key.Is == name {
			return f
		}
	}
	return field{}
}

// object reads one mapping. Faults of honoured keys count as errors where strict
// is set or the key matters for main roles, else as warnings.
func (r *reader) object(n *yaml.Node, where Where, path string, strict bool) object {
	o := object{at: placeOf(n, path), node: n}
	if isNull(n) {
		return o
	}
	if n.Kind != yaml.MappingNode {
		r.typeFault(n, path, "a mapping", strict)
		return o
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		f := field{name: name, value: value, path: join(path, name.Value)}
		f.key = r.index.in[where][name.Value]
		switch {
		case f.key == nil:
			r.strangeKey(f, where)
		case f.key.Handling == Ignored:
		case f.key.Handling == Misplaced || f.key.layouts()&r.layout == 0:
			r.misplaced(f, where, strict)
		default:
			r.known(&o, f, strict)
		}
	}
	return o
}

// known takes up a field that is read in this place.
func (r *reader) known(o *object, f field, strict bool) {
	today := f.key.Name
	if f.key.Is != "" {
		today = f.key.Is
	}
	if f.key.Handling == Superseded {
		r.add(f.nameAt(), Warning, CodeSuperseded, fmt.Sprintf("%q is an old spelling", f.key.Name), fmt.Sprintf("write %q", today))
	}
	if isNull(f.value) && !f.key.strictValue() {
		return
	}
	if earlier := o.get(today); earlier.present() {
		r.add(f.nameAt(), Error, CodeTwoSpellings,
			fmt.Sprintf("%q is given again, first as %q at %s", f.key.Name, earlier.key.Name, earlier.nameAt().position()), "keep one of the two")
		return
	}
	if r.typed(f, strict || f.key.Main) {
		o.fields = append(o.fields, f)
	} else if today == "colocated_containers" {
		r.listsFaulty = true
	}
}

// strictValue says whether the value is held against a Kubernetes type, which
// finds its nulls.
func (k *Key) strictValue() bool { return k.Type == KubeObject || k.Type == KubeVolumes }

// strangeKey reports a key that the table does not have in this place.
func (r *reader) strangeKey(f field, where Where) {
	name := f.name.Value
	if where == InProperties {
		// The properties of a job are the job's own; only a slip in our one key is told.
		if near(name, []string{"bosh_containerization"}) == "" {
			return
		}
	} else if where == InManifest && (f.value.Anchor != "" || strings.HasPrefix(name, "x-") || strings.HasPrefix(name, ".")) {
		return // a place for anchors, as these files have it
	} else if homes := r.index.distinct[name]; len(homes) > 0 && !atHome(homes, where) {
		r.misplacedTo(f, r.homes(homes), true)
		return
	}
	layout := r.layout
	if where == InProperties {
		layout = everyPart
	}
	remedy := "correct its spelling, or remove it"
	if n := near(name, r.index.names(where, layout)); n != "" {
		remedy = fmt.Sprintf("did you mean %q?", n)
	}
	r.add(f.nameAt(), Warning, CodeUnknownKey, fmt.Sprintf("key %q is not known in %s", name, where), remedy)
}

func atHome(homes []*Key, where Where) bool {
	for _, k := range homes {
		for _, w := range k.In {
			if w == where {
				return true
			}
		}
	}
	return false
}

// homes describes where a key belongs in the layout of the file, or where it
// belongs at all.
func (r *reader) homes(keys []*Key) string {
	var here, anywhere []string
	for _, k := range keys {
		if r.layout == Layout3 && k.InLayout3 != "" {
			return k.InLayout3
		}
		for _, w := range k.In {
			anywhere = append(anywhere, string(w))
			if k.layouts()&r.layout != 0 && (w != InContainerization || r.layout == Layout3) {
				here = append(here, string(w))
			}
		}
	}
	if here == nil {
		here = anywhere
	}
	return strings.Join(here[:min(len(here), 2)], " or ")
}

// misplaced reports a key of the table that is not read here or in this layout.
func (r *reader) misplaced(f field, where Where, strict bool) {
	instead := f.key.Instead
	if r.layout == Layout3 && f.key.InLayout3 != "" {
		instead = f.key.InLayout3
		if where == InRole && !isEmpty(f.value) {
			r.add(f.nameAt(), Error, CodeMixedLayouts,
				fmt.Sprintf("%q stands on the role itself, but the file has %q at %s", f.key.Name, "bosh_containerization", r.layout3At.position()),
				"move it to "+instead)
			return
		}
	}
	if instead == "" {
		instead = r.homes(r.index.distinct[f.key.Name])
	}
	r.misplacedTo(f, instead, strict || where != InHealth)
}

func (r *reader) misplacedTo(f field, instead string, strict bool) {
	severity := Error
	if isEmpty(f.value) || !strict {
		severity = Warning
	}
	remedy := "remove it"
	if instead != "" {
		remedy = "it belongs in " + instead
	}
	r.add(f.nameAt(), severity, CodeMisplacedKey, fmt.Sprintf("nothing reads %q here", f.name.Value), remedy)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// isEmpty says whether a value is null, empty text, an empty list or mapping.
func isEmpty(n *yaml.Node) bool {
	return isNull(n) || n.Kind == yaml.ScalarNode && n.Value == "" || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}
