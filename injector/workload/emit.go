package workload

import (
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/pattern"
)

// style is how a document is written, so that additions look like the rest.
type style struct {
	// step is the indentation of a mapping under its key, list that of a list
	// under its key, dash the distance from a dash to its item; in columns.
	step, list, dash int
	// eol is the line end, colon and comma are the separators of flow style.
	eol, colon, comma string
	// json documents quote every key and string; tab is one level of
	// indentation where they are written on many lines.
	json bool
	tab  string
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// block writes a collection in block style whose first line stands at column
// indent already. There is no line end behind the last line.
func (s *style) block(dst []byte, n *yaml.Node, indent int) []byte {
	next := s.eol + spaces(indent)
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, next...)
			}
			dst = append(dst, "-"+spaces(s.dash-1)...)
			dst = s.inline(dst, item, indent+s.dash)
		}
		return dst
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			dst = append(dst, next...)
		}
		dst = s.entry(dst, n.Content[i], n.Content[i+1], indent)
	}
	return dst
}

// entry writes `key: value`; indent is the key's column.
func (s *style) entry(dst []byte, key, value *yaml.Node, indent int) []byte {
	dst = s.scalar(dst, key, -1)
	dst = append(dst, ':')
	if len(value.Content) == 0 {
		dst = append(dst, ' ')
		return s.inline(dst, value, indent+s.step)
	}
	below := indent + s.step
	if value.Kind == yaml.SequenceNode {
		below = indent + s.list
	}
	dst = append(dst, s.eol+spaces(below)...)
	return s.block(dst, value, below)
}

// inline writes a value that begins in the current line; its further lines
// begin at column indent.
func (s *style) inline(dst []byte, n *yaml.Node, indent int) []byte {
	switch {
	case n.Kind == yaml.ScalarNode:
		return s.scalar(dst, n, indent)
	case len(n.Content) == 0:
		return s.flow(dst, n, "", false)
	}
	return s.block(dst, n, indent)
}

// flow writes a value in flow style; pretty puts entries on lines of their own,
// lead being the indentation of the line that the value begins in.
func (s *style) flow(dst []byte, n *yaml.Node, lead string, pretty bool) []byte {
	if n.Kind == yaml.ScalarNode {
		return s.scalar(dst, n, -1)
	}
	opener, closer, width := byte('['), byte(']'), 1
	if n.Kind == yaml.MappingNode {
		opener, closer, width = '{', '}', 2
	}
	dst = append(dst, opener)
	for i := 0; i < len(n.Content); i += width {
		switch {
		case i > 0 && pretty:
			dst = append(dst, ',')
		case i > 0:
			dst = append(dst, s.comma...)
		}
		if pretty {
			dst = append(dst, s.eol+lead+s.tab...)
		}
		dst = s.member(dst, n.Content[i:i+width], lead+s.tab, pretty)
	}
	if pretty && len(n.Content) > 0 {
		dst = append(dst, s.eol+lead...)
	}
	return append(dst, closer)
}

// member writes an item, or a key and its value, in flow style.
func (s *style) member(dst []byte, nodes []*yaml.Node, lead string, pretty bool) []byte {
	if len(nodes) == 2 {
		dst = append(s.scalar(dst, nodes[0], -1), s.colon...)
	}
	return s.flow(dst, nodes[len(nodes)-1], lead, pretty)
}

var (
	// plainText are strings that need no quotes unless they look like something
	// else; plainBlock may have colons, which flow style does not like.
	plainText  = pattern.New(`^(--?)?[A-Za-z_/]([A-Za-z0-9_./@+=-]| [A-Za-z0-9_/(])*$`)
	plainBlock = pattern.New(`^(--?)?[A-Za-z_/]([A-Za-z0-9_./@+=-]|:[A-Za-z0-9_/]| [A-Za-z0-9_/(])*$`)
	// quantity is a number with a unit, such as 100m or 64Mi.
	quantity = pattern.New(`^[1-9][0-9]*(m|[kMGTPE]|[KMGTPE]i)$`)
)

// scalar writes a scalar; further lines of a literal block begin at column
// indent, which is -1 where there can be only one line.
func (s *style) scalar(dst []byte, n *yaml.Node, indent int) []byte {
	switch {
	case n.Tag == "!!json":
		return append(dst, n.Value...)
	case s.json:
		return appendString(dst, n.Value)
	case quantity().MatchString(n.Value):
		return append(dst, n.Value...)
	case plainText().MatchString(n.Value) || indent >= 0 && plainBlock().MatchString(n.Value):
		word := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
		if word.ShortTag() == "!!str" && !bool11().MatchString(n.Value) {
			return append(dst, n.Value...)
		}
	case indent > 0 && literal(n.Value):
		return s.literal(dst, n.Value, indent)
	case strings.ContainsAny(n.Value, `"\`) && !strings.ContainsFunc(n.Value, func(r rune) bool { return r == '\'' || !printable(r) }):
		return append(append(append(dst, '\''), n.Value...), '\'')
	}
	return appendString(dst, n.Value)
}

// literal says whether text may be written as a literal block without any of
// the indicators that such blocks need in rare cases.
func literal(text string) bool {
	body := strings.TrimSuffix(text, "\n")
	if !strings.Contains(body, "\n") || strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\n") || strings.HasSuffix(body, "\n") {
		return false
	}
	for _, line := range strings.Split(body, "\n") {
		if strings.TrimRight(line, " \t") != line || strings.HasPrefix(line, "\t") {
			return false
		}
	}
	return !strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && r != '\t' && !printable(r) })
}

func (s *style) literal(dst []byte, text string, indent int) []byte {
	body := strings.TrimSuffix(text, "\n")
	dst = append(dst, '|')
	if body == text {
		dst = append(dst, '-')
	}
	for _, line := range strings.Split(body, "\n") {
		dst = append(dst, s.eol...)
		if line != "" {
			dst = append(dst, spaces(indent)+line...)
		}
	}
	return dst
}
