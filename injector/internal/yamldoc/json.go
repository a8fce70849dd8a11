package yamldoc

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// JSON is the canonical JSON of a tree from [Parse]: keys sorted by their bytes,
// no insignificant space, scalars as YAML's core schema has them, numbers by
// [Number], strings with the fewest escapes. An error is an *[Error] with the
// position of a value that JSON does not have.
func JSON(n *yaml.Node) ([]byte, error) {
	return appendJSON(make([]byte, 0, 512), n)
}

func appendJSON(dst []byte, n *yaml.Node) ([]byte, error) {
	switch n.Kind {
	case yaml.MappingNode:
		return appendMapping(dst, n)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendJSON(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.ScalarNode:
		return appendScalar(dst, n)
	}
	return nil, &Error{Line: n.Line, Column: n.Column, Code: CodeAlias, Message: "an alias was not expanded"}
}

func appendMapping(dst []byte, n *yaml.Node) ([]byte, error) {
	pairs := make([][2]*yaml.Node, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, [2]*yaml.Node{n.Content[i], n.Content[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b [2]*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
	dst = append(dst, '{')
	for i, pair := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, pair[0].Value)
		dst = append(dst, ':')
		var err error
		if dst, err = appendJSON(dst, pair[1]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendScalar(dst []byte, n *yaml.Node) ([]byte, error) {
	switch n.Tag {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		return append(dst, strings.ToLower(n.Value)...), nil
	case "!!int", "!!float":
		text, err := Number(n)
		if err != nil {
			return nil, &Error{Line: n.Line, Column: n.Column, Code: CodeNumber, Message: fmt.Sprint(err)}
		}
		return append(dst, text...), nil
	}
	return AppendString(dst, n.Value), nil
}

// AppendString appends s as a JSON string. Only what JSON forbids is escaped:
// quotes, backslashes and control characters.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
