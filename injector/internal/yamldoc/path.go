package yamldoc

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Lookup walks mappings by their keys and returns the value, nil where a key is
// absent or something on the way is no mapping.
func Lookup(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		if _, n = Pair(n, key); n == nil {
			return nil
		}
	}
	return n
}

// Pair returns a key of a mapping and its value, nil and nil where n is nil, is no
// mapping, or has no such key.
func Pair(n *yaml.Node, key string) (k, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Find walks a path such as `spec.container.ports[0].name`, as errors of JSON
// decoders give it, as far as it goes. Value is the deepest node on the path,
// key the key under which it stands (nil for list items and the root), and exact
// says whether the whole path was found.
func Find(root *yaml.Node, path string) (key, value *yaml.Node, exact bool) {
	for path != "" {
		if index, rest, ok := cutIndex(path); ok {
			if value := item(root, index); value != nil {
				key, root, path = nil, value, rest
				continue
			}
			return key, root, false
		}
		k, v, rest := longestKey(root, strings.TrimPrefix(path, "."))
		if k == nil {
			return key, root, false
		}
		key, root, path = k, v, rest
	}
	return key, root, true
}

// longestKey finds the longest key of a mapping that begins path: keys may have
// dots and brackets in them, and paths do not quote them.
func longestKey(n *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	if n.Kind != yaml.MappingNode {
		return nil, nil, ""
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if key != nil && len(k.Value) <= len(key.Value) {
			continue
		}
		after, ok := strings.CutPrefix(path, k.Value)
		if ok && (after == "" || after[0] == '.' || after[0] == '[') {
			key, value, rest = k, n.Content[i+1], after
		}
	}
	return key, value, rest
}

// cutIndex cuts `[3]` off the beginning of a path.
func cutIndex(path string) (index int, rest string, ok bool) {
	inner, ok := strings.CutPrefix(path, "[")
	if !ok {
		return 0, "", false
	}
	number, rest, ok := strings.Cut(inner, "]")
	if !ok {
		return 0, "", false
	}
	index, err := strconv.Atoi(number)
	return index, rest, err == nil && index >= 0
}

func item(n *yaml.Node, index int) *yaml.Node {
	if n.Kind != yaml.SequenceNode || index >= len(n.Content) {
		return nil
	}
	return n.Content[index]
}
