package definition

import (
	"strings"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// envelope checks what stands around the spec and returns the kind, "" where it
// is not known.
func (r *reader) envelope(root *yaml.Node, key string) string {
	if n := yamldoc.Lookup(root, "apiVersion"); n == nil {
		r.faultf(root, "apiVersion is missing: write %q", injector.APIVersion)
	} else if textual(n) && n.Value != injector.APIVersion {
		r.faultf(n, "apiVersion: %q is not known here: write %q", n.Value, injector.APIVersion)
	}
	r.names(root, key)
	if yamldoc.Lookup(root, "spec") == nil {
		r.faultf(root, "spec is missing: write it, or \"spec: {}\" for a role that adds nothing")
	}
	kinds := []string{injector.KindRole, injector.KindColocated}
	kind := yamldoc.Lookup(root, "kind")
	switch {
	case kind == nil:
		r.faultf(root, "kind is missing: write %s", injector.QuoteList(kinds, "or"))
		return ""
	case kind.Value != injector.KindRole && kind.Value != injector.KindColocated:
		r.faultf(kind, "kind: %q is not known here: write %s", kind.Value, injector.QuoteList(kinds, "or"))
		return ""
	}
	return kind.Value
}

// textual says whether n is a text; what is not is found by comparison with the type.
func textual(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && isText(n) }

// names checks that the document has a name and that the key agrees with it.
func (r *reader) names(root *yaml.Node, key string) {
	metadata := yamldoc.Lookup(root, "metadata")
	n := yamldoc.Lookup(metadata, "name")
	switch {
	case metadata == nil, metadata.Kind == yaml.MappingNode && n == nil:
		r.faultf(root, "metadata.name is missing: write %q", r.name)
		return
	case n == nil || !textual(n):
		return
	}
	if problems := validation.IsDNS1123Label(n.Value); len(problems) > 0 {
		r.faultf(n, "metadata.name: %q is no name: use at most 63 lower-case letters, digits and dashes, with a letter or digit at both ends", n.Value)
		return
	}
	if n.Value+Extension != key {
		r.faultf(n, "metadata.name: %q stands under the key %q: name the key %q", n.Value, key, n.Value+Extension)
	}
}

// colocated checks what only we ask of a container, and gives it its name where
// it has none, so that what is stored is complete.
func (r *reader) colocated(root *yaml.Node) *yaml.Node {
	spec := yamldoc.Lookup(root, "spec")
	if spec == nil || spec.Kind != yaml.MappingNode {
		return root
	}
	container := yamldoc.Lookup(spec, "container")
	if container == nil {
		r.faultf(spec, "spec.container is missing: write the container that is added to pods")
		return root
	}
	if container.Kind != yaml.MappingNode {
		return root
	}
	for _, field := range []string{"restartPolicy", "restartPolicyRules"} {
		if key, _ := yamldoc.Pair(container, field); key != nil {
			r.faultf(key, "spec.container.%s: spec.placement says when the container runs: remove the field, and set placement to one of %s", field, placements())
		}
	}
	if placement := yamldoc.Lookup(spec, "placement"); placement != nil && textual(placement) {
		r.placement(placement)
	}
	name := yamldoc.Lookup(container, "name")
	wanted := yamldoc.Lookup(root, "metadata", "name")
	switch {
	case wanted == nil || !textual(wanted):
	case name == nil:
		return withName(root, spec, container, wanted)
	case textual(name) && name.Value != wanted.Value:
		r.faultf(name, "spec.container.name: %q differs from metadata.name %q: remove it, or make the two equal", name.Value, wanted.Value)
	}
	return root
}

func (r *reader) placement(n *yaml.Node) {
	for _, p := range injector.Placements {
		if n.Value == string(p) {
			return
		}
	}
	r.faultf(n, "spec.placement: %q is not known: write one of %s", n.Value, placements())
}

func placements() string {
	var names []string
	for _, p := range injector.Placements {
		names = append(names, string(p))
	}
	return strings.ReplaceAll(injector.QuoteList(names, "or"), `"`, "")
}

// withName is root with a name in its container. Nodes may be shared, so those on
// the way are copied.
func withName(root, spec, container, name *yaml.Node) *yaml.Node {
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "name", Line: container.Line, Column: container.Column}
	named := *container
	named.Content = append([]*yaml.Node{key, name}, container.Content...)
	return replaced(root, spec, replaced(spec, container, &named))
}

// replaced is a copy of a mapping with another value in place of old.
func replaced(n, old, value *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		if child == old && i%2 == 1 {
			child = value
		}
		c.Content[i] = child
	}
	return &c
}
