package yamldoc

import "gopkg.in/yaml.v3"

const mergeTag = "!!merge"

// mapping checks the keys of n, expands its values and then its merge keys.
func (x *expander) mapping(n *yaml.Node, depth int, size *extent) {
	x.collectionTag(n, "!!map")
	own := make(map[string]*yaml.Node, len(n.Content)/2)
	merges, faulty := false, 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, s := x.expandKey(n.Content[i])
		n.Content[i] = key
		x.add(size, s, key)
		merge := key.Kind == yaml.ScalarNode && key.Tag == mergeTag
		merges = merges || merge
		if !merge && !x.key(key, own) {
			n.Content[i] = nil
			faulty++
		}
		x.path = append(x.path, key.Value)
		value, s := x.expand(n.Content[i+1], depth+1)
		x.path = x.path[:len(x.path)-1]
		n.Content[i+1] = value
		x.add(size, s, value)
	}
	if faulty > 0 {
		n.Content = withoutFaulty(n.Content)
	}
	if merges {
		x.merge(n, own)
	}
}

// withoutFaulty drops the pairs whose key was found to be none, so that whoever
// keeps going meets each key once.
func withoutFaulty(content []*yaml.Node) []*yaml.Node {
	kept := content[:0]
	for i := 0; i+1 < len(content); i += 2 {
		if content[i] != nil {
			kept = append(kept, content[i], content[i+1])
		}
	}
	return kept
}

// expandKey replaces a key that is an alias by a copy that keeps the position of
// the alias.
func (x *expander) expandKey(key *yaml.Node) (*yaml.Node, extent) {
	if key.Kind == yaml.AliasNode {
		target, size := x.alias(key, 1)
		found := *target
		found.Line, found.Column = key.Line, key.Column
		return &found, size
	}
	if key.Anchor != "" {
		if x.open == nil {
			x.open = map[*yaml.Node]bool{}
			x.anchored = map[*yaml.Node]extent{}
		}
		x.anchored[key] = extent{nodes: 1, bytes: len(key.Value), height: 1}
	}
	return key, extent{nodes: 1, bytes: len(key.Value), height: 1}
}

// key checks one key and notes it in own, by its text. It returns false where the
// pair cannot stay in its mapping.
func (x *expander) key(key *yaml.Node, own map[string]*yaml.Node) bool {
	if key.Kind == yaml.AliasNode {
		return false // said already
	}
	if key.Kind != yaml.ScalarNode {
		what := "a list"
		if key.Kind == yaml.MappingNode {
			what = "a mapping"
		}
		x.errorf(key, CodeKey, "use a plain word, or quote it where braces or brackets belong to the text", "a key is %s", what)
		return false
	}
	x.scalarTag(key)
	switch {
	case key.Tag == "!!null":
		x.errorf(key, CodeKey, "write the key", "a key is missing or null")
		return false
	case x.o.StringKeys && key.Tag != "!!str" && key.Tag != "!!timestamp":
		x.errorf(key, CodeKey, "quote it", "the key %s is not text", key.Value)
	case x.o.RefuseAmbiguous && ambiguous(key):
		x.errorf(key, CodeAmbiguous, "quote it", "the key %s is a truth value to some readers of YAML", key.Value)
	}
	if first, twice := own[key.Value]; twice {
		x.errorf(key, CodeDuplicateKey, "remove one of the two", "key %q stands here again, first at %d:%d", key.Value, first.Line, first.Column)
		return false
	}
	own[key.Value] = key
	return true
}

// merge puts the pairs of merged mappings where their merge key stood. The
// mapping's own keys win wherever they stand, and earlier merged mappings win
// over later ones (https://yaml.org/type/merge.html).
func (x *expander) merge(n *yaml.Node, own map[string]*yaml.Node) {
	content := make([]*yaml.Node, 0, len(n.Content))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag != mergeTag {
			content = append(content, key, value)
			continue
		}
		for _, source := range x.mergeSources(value) {
			for j := 0; j+1 < len(source.Content); j += 2 {
				name := source.Content[j].Value
				if _, taken := own[name]; taken {
					continue
				}
				own[name] = source.Content[j]
				content = append(content, source.Content[j], source.Content[j+1])
			}
		}
	}
	n.Content = content
}

// mergeSources are the mappings that the value of a merge key names.
func (x *expander) mergeSources(value *yaml.Node) []*yaml.Node {
	candidates := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		candidates = value.Content
	}
	var sources []*yaml.Node
	for _, c := range candidates {
		if c.Kind == yaml.AliasNode {
			continue // said already
		}
		if c.Kind != yaml.MappingNode {
			x.errorf(c, CodeMerge, "name an anchor of a mapping", "the value of \"<<\" is no mapping")
			continue
		}
		sources = append(sources, c)
	}
	return sources
}
