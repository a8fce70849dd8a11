package rolemanifest

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// What is generated is built of nodes that carry the position of the manifest's
// node which they come from, so that a rule that meets them can say where.

// pair is a key with its value.
type pair struct {
	key   string
	value *yaml.Node
}

func text(s string, at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: at.Line, Column: at.Column}
}

func integerNode(v int64, at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v, 10), Line: at.Line, Column: at.Column}
}

func truth(at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true", Line: at.Line, Column: at.Column}
}

func list(at *yaml.Node, items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items, Line: at.Line, Column: at.Column}
}

func mapping(at *yaml.Node, pairs ...pair) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: at.Line, Column: at.Column}
	for _, p := range pairs {
		set(n, p.key, p.value)
	}
	return n
}

// set appends a key to a mapping that this package has built; nil values are
// left out.
func set(n *yaml.Node, key string, value *yaml.Node) {
	if value != nil {
		n.Content = append(n.Content, text(key, value), value)
	}
}
