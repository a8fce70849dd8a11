package workload

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/pattern"
)

// maxExpanded bounds how many nodes aliases may add to one document, so that a
// few lines of YAML cannot grow to gigabytes.
const maxExpanded = 1_000_000

// encoder writes nodes as JSON in the order of the text, with aliases and merge
// keys expanded. Scalars mean what kubectl takes them for: YAML 1.1, so that a
// plain `yes` is true and `0755` is 493. Numbers that are JSON numbers already
// are written as they stand, of whatever size.
type encoder struct {
	*document
	expanded int
	inside   map[*yaml.Node]bool
}

func (d *document) json(n *yaml.Node) ([]byte, error) {
	e := &encoder{document: d, inside: map[*yaml.Node]bool{}}
	return e.append(nil, n)
}

func (e *encoder) append(dst []byte, n *yaml.Node) ([]byte, error) {
	if len(e.inside) > 0 {
		e.expanded++
		if e.expanded > maxExpanded {
			return nil, e.errorAt(n, "aliases expand to more than %d values", maxExpanded)
		}
	}
	if tag := n.ShortTag(); n.Kind == yaml.MappingNode && tag != "!!map" || n.Kind == yaml.SequenceNode && tag != "!!seq" {
		return nil, e.errorAt(n, "tag %q is not known here; remove it", tag)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return e.alias(dst, n)
	case yaml.MappingNode:
		return e.mapping(dst, n)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = e.append(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.ScalarNode:
		return e.scalar(dst, n)
	}
	return nil, e.errorAt(n, "YAML node of an unknown kind")
}

func (e *encoder) alias(dst []byte, n *yaml.Node) ([]byte, error) {
	if e.inside[n.Alias] {
		return nil, e.errorAt(n, "alias %q stands inside the value that it names", n.Value)
	}
	e.inside[n.Alias] = true
	defer delete(e.inside, n.Alias)
	return e.append(dst, n.Alias)
}

func (e *encoder) mapping(dst []byte, n *yaml.Node) ([]byte, error) {
	pairs, err := e.pairs(n)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	for i, p := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, p.key)
		dst = append(dst, ':')
		if dst, err = e.append(dst, p.value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// pair is one entry of a mapping as it counts in the end.
type pair struct {
	key    string
	value  *yaml.Node
	merged bool
}

// pairs are the entries of a mapping with merge keys expanded: the mapping's own
// entries win, then the earlier merged mapping.
func (d *document) pairs(n *yaml.Node) ([]pair, error) {
	return d.pairsWithin(n, map[*yaml.Node]bool{})
}

func (d *document) pairsWithin(n *yaml.Node, inside map[*yaml.Node]bool) ([]pair, error) {
	if inside[n] {
		return nil, d.errorAt(n, "merge key inside the value that it merges")
	}
	inside[n] = true
	defer delete(inside, n)
	own := make(map[string]bool, len(n.Content)/2)
	merges := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if isMerge(k) {
			merges = true
			continue
		}
		key, err := d.key(k)
		if err != nil {
			return nil, err
		}
		if own[key] {
			return nil, d.errorAt(k, "key %q stands twice in one mapping", key)
		}
		own[key] = true
	}
	pairs := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			key, err := d.key(n.Content[i])
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, pair{key: key, value: n.Content[i+1]})
		}
	}
	if !merges {
		return pairs, nil
	}
	return d.mergedPairs(n, pairs, own, inside)
}

func (d *document) mergedPairs(n *yaml.Node, pairs []pair, own map[string]bool, inside map[*yaml.Node]bool) ([]pair, error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if list := target(n.Content[i+1]); list != nil && list.Kind == yaml.SequenceNode {
			sources = list.Content
		}
		for _, source := range sources {
			m := target(source)
			if m == nil || m.Kind != yaml.MappingNode {
				return nil, d.errorAt(source, "a merge key takes a mapping or a list of mappings")
			}
			more, err := d.pairsWithin(m, inside)
			if err != nil {
				return nil, err
			}
			for _, p := range more {
				if !own[p.key] {
					own[p.key] = true
					pairs = append(pairs, pair{key: p.key, value: p.value, merged: true})
				}
			}
		}
	}
	return pairs, nil
}

// target follows an alias.
func target(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isMerge(k *yaml.Node) bool {
	return k.Kind == yaml.ScalarNode && k.Value == "<<" && k.ShortTag() == "!!merge"
}

// key is a mapping key as a JSON member name: the scalar's text.
func (d *document) key(k *yaml.Node) (string, error) {
	k = target(k)
	if k == nil || k.Kind != yaml.ScalarNode {
		return "", &Error{Line: d.first, Column: 1, Message: "a mapping key is not a scalar"}
	}
	if k.ShortTag() == "!!null" {
		return "null", nil
	}
	return k.Value, nil
}

var (
	jsonNumber = pattern.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	bool11     = pattern.New(`^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$`)
)

func (e *encoder) scalar(dst []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case "!!json": // made by nodeOf
		return append(dst, n.Value...), nil
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on", "y":
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case "!!int", "!!float":
		number, ok := numberJSON(n.Value)
		if !ok {
			return nil, e.errorAt(n, "%q is not a number that JSON has", n.Value)
		}
		return append(dst, number...), nil
	case "!!binary":
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return nil, e.errorAt(n, "a value tagged !!binary is not base64")
		}
		return appendString(dst, string(decoded)), nil
	case "!!str":
		if n.Style == 0 && n.Line > 0 && bool11().MatchString(n.Value) {
			return append(dst, strconv.FormatBool(strings.ContainsAny(n.Value[:1], "yY") || strings.EqualFold(n.Value, "on"))...), nil
		}
	}
	return appendString(dst, n.Value), nil
}

// numberJSON writes a YAML number as JSON has it; false for infinities and NaN.
func numberJSON(text string) (string, bool) {
	if jsonNumber().MatchString(text) {
		return text, true
	}
	plain := strings.ReplaceAll(text, "_", "")
	if i, ok := new(big.Int).SetString(plain, 0); ok {
		return i.String(), true
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return "", false
	}
	out, err := json.Marshal(f)
	return string(out), err == nil
}

// appendString appends a JSON string that is a YAML string too: what YAML does
// not allow as it is gets escaped, the rest is written as it is.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case !printable(r):
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = append(dst, string(r)...)
		}
	}
	return append(dst, '"')
}

// printable are the characters that may stand in YAML unescaped, on one line.
func printable(r rune) bool {
	return r >= ' ' && r <= '~' || r >= 0xa0 && r <= 0xd7ff && r != 0x2028 && r != 0x2029 ||
		r >= 0xe000 && r <= 0xfffd && r != 0xfeff || r >= 0x10000
}

// decode reads JSON into generic values that keep numbers as they are written.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}
