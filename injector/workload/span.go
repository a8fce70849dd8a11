package workload

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// span is where a node stands in the text: from its anchor or tag to behind its
// last character, in bytes. A block scalar ends where its last line does, with
// the line end; a block collection ends with its last entry.
type span struct{ start, body, end int }

// measurer finds the ends of nodes, which the YAML library does not tell. Each
// scalar's text is compared with its value on the way, so a wrong position is
// an error and never a wrong edit.
type measurer struct {
	*document
	spans map[*yaml.Node]span
}

func (d *document) measure() (map[*yaml.Node]span, error) {
	m := &measurer{document: d, spans: map[*yaml.Node]span{}}
	if d.root == nil {
		return m.spans, nil
	}
	return m.spans, m.node(d.root, -1)
}

// node measures n; indent is the column, from 0, of the block collection around
// it, -1 where there is none.
func (m *measurer) node(n *yaml.Node, indent int) error {
	start := m.offset(n.Line, n.Column)
	s := span{start: start, body: m.skipProperties(n, start)}
	var err error
	switch n.Kind {
	case yaml.AliasNode:
		s.end = s.body + 1 + len(n.Value)
		if s.end > len(m.text) || string(m.text[s.body:s.end]) != "*"+n.Value {
			err = m.lost(n)
		}
	case yaml.ScalarNode:
		s.end, err = m.scalarEnd(n, s.body, indent)
	case yaml.MappingNode, yaml.SequenceNode:
		s.end, err = m.collectionEnd(n, s.body, indent)
	default:
		err = m.lost(n)
	}
	m.spans[n] = s
	return err
}

func (m *measurer) lost(n *yaml.Node) error {
	return m.errorAt(n, "the text cannot be matched with its meaning here, so it cannot be edited; write the value in a plainer way")
}

// skipProperties returns where the node's own text begins, behind an anchor and a tag.
func (m *measurer) skipProperties(n *yaml.Node, at int) int {
	count := 0
	if n.Anchor != "" {
		count++
	}
	if n.Style&yaml.TaggedStyle != 0 {
		count++
	}
	for ; count > 0 && at < len(m.text) && (m.text[at] == '&' || m.text[at] == '!'); count-- {
		for at < len(m.text) && !isBlank(m.text[at]) && breakLen(m.text[at:]) == 0 &&
			!strings.ContainsRune(",[]{}", rune(m.text[at])) {
			at++
		}
		// Behind the last property of a null that is not written comes what follows it.
		next := m.skipSpace(at)
		written := n.Kind != yaml.ScalarNode || n.Value != "" || n.Style&^yaml.TaggedStyle != 0
		if written || count > 1 && next < len(m.text) && (m.text[next] == '&' || m.text[next] == '!') {
			at = next
		}
	}
	return at
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// skipSpace moves over blanks, line ends and comments.
func (m *measurer) skipSpace(at int) int { return skipSpace(m.text, at) }

func skipSpace(text []byte, at int) int {
	for at < len(text) {
		switch n := breakLen(text[at:]); {
		case n > 0:
			at += n
		case isBlank(text[at]):
			at++
		case text[at] == '#':
			for at < len(text) && breakLen(text[at:]) == 0 {
				at++
			}
		default:
			return at
		}
	}
	return at
}

func (m *measurer) scalarEnd(n *yaml.Node, at, indent int) (int, error) {
	var end int
	var ok bool
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		end, ok = m.quotedEnd(at, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		end, ok = m.quotedEnd(at, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		end, ok = m.blockScalarEnd(at, indent)
	default:
		end, ok = m.plainEnd(at, n.Value)
	}
	if !ok {
		return 0, m.lost(n)
	}
	return end, nil
}

func (m *measurer) quotedEnd(at int, quote byte) (int, bool) {
	if at >= len(m.text) || m.text[at] != quote {
		return 0, false
	}
	for i := at + 1; i < len(m.text); i++ {
		switch {
		case m.text[i] == '\\' && quote == '"':
			i++
		case m.text[i] != quote:
		case quote == '\'' && i+1 < len(m.text) && m.text[i+1] == quote:
			i++
		default:
			return i + 1, true
		}
	}
	return 0, false
}

// plainEnd follows value through the text; white space with a line end in it
// stands for a space or for line ends in the value.
func (m *measurer) plainEnd(at int, value string) (int, bool) {
	for i := 0; i < len(value); {
		run, folded := at, false
		for run < len(m.text) {
			if n := breakLen(m.text[run:]); n > 0 {
				run, folded = run+n, true
			} else if isBlank(m.text[run]) {
				run++
			} else {
				break
			}
		}
		switch {
		case folded:
			j := i
			for j < len(value) && (value[j] == ' ' || breakLen([]byte(value[j:min(j+3, len(value))])) > 0) {
				j += max(1, breakLen([]byte(value[j:min(j+3, len(value))])))
			}
			if j == i {
				return 0, false
			}
			i, at = j, run
		case run > at:
			if !strings.HasPrefix(value[i:], string(m.text[at:run])) {
				return 0, false
			}
			i, at = i+run-at, run
		default:
			if at >= len(m.text) || m.text[at] != value[i] {
				return 0, false
			}
			i, at = i+1, at+1
		}
	}
	return at, true
}

// blockScalarEnd reads a block scalar's header and the lines that belong to it.
// Blank lines behind the last one belong to it only where it keeps them (`|+`).
func (m *measurer) blockScalarEnd(at, indent int) (int, bool) {
	if at >= len(m.text) || m.text[at] != '|' && m.text[at] != '>' {
		return 0, false
	}
	keep, width := false, 0
	for i := at + 1; i < len(m.text) && strings.IndexByte("+-123456789", m.text[i]) >= 0; i++ {
		switch b := m.text[i]; b {
		case '+':
			keep = true
		case '-':
		default:
			width = max(indent, 0) + int(b-'0')
		}
	}
	pos := m.nextLine(at)
	end := pos
	for pos < len(m.text) {
		lineEnd := m.nextLine(pos)
		line := m.text[pos:lineEnd]
		spaces := len(line) - len(bytes.TrimLeft(line, " "))
		blank := spaces == len(line) || breakLen(line[spaces:]) > 0
		if !blank && width == 0 {
			width = max(spaces, indent+1, 1)
		}
		if !blank && spaces < width {
			break
		}
		pos = lineEnd
		if !blank || keep || width > 0 && spaces > width {
			end = pos
		}
	}
	return end, true
}

// nextLine is the start of the line after the one that at is in.
func (m *measurer) nextLine(at int) int { return nextLine(m.text, at) }

func nextLine(text []byte, at int) int {
	for at < len(text) {
		if n := breakLen(text[at:]); n > 0 {
			return at + n
		}
		at++
	}
	return len(text)
}

// collectionEnd measures the entries of a collection and then the collection.
func (m *measurer) collectionEnd(n *yaml.Node, at, indent int) (int, error) {
	if n.Style&yaml.FlowStyle == 0 {
		indent = m.column(at)
	}
	end := at
	for _, child := range n.Content {
		if err := m.node(child, indent); err != nil {
			return 0, err
		}
		end = max(end, m.spans[child].end)
	}
	if n.Style&yaml.FlowStyle == 0 {
		return end, nil
	}
	if !m.bracketed(at) {
		return end, nil // the pair in [a: b]
	}
	if len(n.Content) == 0 {
		end = at + 1
	}
	for end < len(m.text) {
		end = m.skipSpace(end)
		if end < len(m.text) && (m.text[end] == ']' || m.text[end] == '}') {
			return end + 1, nil
		}
		if end >= len(m.text) || m.text[end] != ',' && m.text[end] != ':' {
			break
		}
		end++
	}
	return 0, m.lost(n)
}

func (m *measurer) bracketed(at int) bool {
	return at < len(m.text) && (m.text[at] == '[' || m.text[at] == '{')
}

// column is the number of characters before at in its line.
func (d *document) column(at int) int { return column(d.text, at) }

func column(text []byte, at int) int {
	start := lineStart(text, at)
	return len([]rune(string(text[start:at])))
}

// lineStart is the start of the line that at is in.
func lineStart(text []byte, at int) int {
	for i := at; i > 0; i-- {
		if text[i-1] == '\n' || text[i-1] == '\r' && (i == len(text) || text[i] != '\n') {
			return i
		}
	}
	return 0
}
