package workload

import (
	"bytes"
	"slices"

	"gopkg.in/yaml.v3"
)

// splice replaces text[at:end] with text.
type splice struct {
	at, end int
	text    []byte
}

// renderer turns the new nodes of an edited tree into splices of the text.
// Entries come before the collections that they are in, so that of two
// insertions at one place the inner one comes first.
type renderer struct {
	*editor
	style   style
	splices []splice
}

// render is the edited text.
func (e *editor) render() ([]byte, error) {
	r := &renderer{editor: e, style: e.detectStyle()}
	if err := r.node(e.root); err != nil {
		return nil, err
	}
	r.stripLast()
	slices.SortStableFunc(r.splices, func(a, b splice) int { return a.at - b.at })
	out := make([]byte, 0, len(e.text)+4096)
	at := 0
	for _, s := range r.splices {
		if s.at < at || s.end > len(e.text) {
			return nil, e.errorAt(e.root, "two additions fall on one place of the text; write the object in block style")
		}
		out = append(append(out, e.text[at:s.at]...), s.text...)
		at = s.end
	}
	return append(out, e.text[at:]...), nil
}

func (r *renderer) splice(at, end int, text []byte) {
	r.splices = append(r.splices, splice{at, end, text})
}

// lines inserts whole lines at the start of a line; text has no line end.
func (r *renderer) lines(at int, text []byte) {
	if at == len(r.text) && at > 0 && r.text[at-1] != '\n' && r.text[at-1] != '\r' {
		r.splice(at, at, append([]byte(r.style.eol), text...))
		return
	}
	r.splice(at, at, append(text, r.style.eol...))
}

// stripLast keeps the value of a block scalar that ends with the text, without a
// line end, where lines come behind it now: the YAML library counts no final
// newline to it, so it becomes one that strips newlines (`|-`).
func (r *renderer) stripLast() {
	if !slices.ContainsFunc(r.splices, func(s splice) bool { return s.at == len(r.text) }) {
		return
	}
	for n, s := range r.spans {
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 || s.end != len(r.text) || breakLen(r.text[s.end-1:]) > 0 {
			continue
		}
		header := r.text[s.body:nextLine(r.text, s.body)]
		if i := bytes.IndexAny(header, "+-# "); i < 0 || header[i] == '#' || header[i] == ' ' {
			r.splice(s.body+1, s.body+1, []byte{'-'})
		} else if header[i] == '+' {
			r.splice(s.body+i, s.body+i+1, []byte{'-'})
		}
		return
	}
}

func isNew(n *yaml.Node) bool { return n.Line == 0 }

// node renders what is new below an existing node.
func (r *renderer) node(n *yaml.Node) error {
	switch {
	case n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
		return nil
	case n.Style&yaml.FlowStyle != 0:
		return r.flowCollection(n)
	case n.Kind == yaml.MappingNode:
		return r.blockMapping(n)
	}
	return r.blockList(n)
}

func (r *renderer) blockMapping(n *yaml.Node) error {
	indent := r.column(r.entryStart(n))
	fresh := len(n.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err error
		switch {
		case isNew(key):
			fresh = min(fresh, i)
		case isNew(value):
			err = r.replaceValue(key, r.replaced[value], value, indent)
		case r.emptied(value) && r.sameLine(key, value):
			err = r.replaceValue(key, value, &yaml.Node{Kind: value.Kind, Content: value.Content}, indent)
		default:
			err = r.node(value)
		}
		if err != nil {
			return err
		}
	}
	if fresh == len(n.Content) {
		return nil
	}
	text := []byte(spaces(indent))
	text = r.style.block(text, &yaml.Node{Kind: yaml.MappingNode, Content: n.Content[fresh:]}, indent)
	r.lines(r.blockEnd(n, indent), text)
	return nil
}

// entryStart is where the first entry of a block mapping begins: at its key, or
// at the question mark before it.
func (e *editor) entryStart(n *yaml.Node) int {
	at := e.spans[n.Content[0]].start
	before := bytes.TrimRight(e.text[lineStart(e.text, at):at], " \t")
	if len(before) == 0 || before[len(before)-1] != '?' {
		return at
	}
	return lineStart(e.text, at) + len(before) - 1
}

// emptied says whether n was written as `{}` or `[]`, with nothing inside, and
// has entries now.
func (r *renderer) emptied(n *yaml.Node) bool {
	if n.Style&yaml.FlowStyle == 0 || len(n.Content) == 0 || !isNew(n.Content[0]) {
		return false
	}
	s := r.spans[n]
	return isNew(n.Content[len(n.Content)-1]) && s.end-s.body >= 2 &&
		len(bytes.TrimSpace(r.text[s.body+1:s.end-1])) == 0
}

// colonAfter is the place of the colon behind a key, -1 where there is none.
func (r *renderer) colonAfter(key *yaml.Node) int {
	at := skipSpace(r.text, r.spans[key].end)
	if at < len(r.text) && r.text[at] == ':' {
		return at
	}
	return -1
}

func (r *renderer) sameLine(key, value *yaml.Node) bool {
	colon := r.colonAfter(key)
	return colon >= 0 && r.spans[value].end <= nextLine(r.text, colon) && r.spans[value].start > colon
}

// replaceValue writes value in the place of old, which is null, an empty
// collection or an alias.
func (r *renderer) replaceValue(key, old, value *yaml.Node, indent int) error {
	colon := r.colonAfter(key)
	if colon < 0 || old == nil || len(old.Content) > 0 && !r.emptied(old) {
		return r.errorAt(key, "the value of %q cannot be replaced; remove it", key.Value)
	}
	s := r.spans[old]
	if s.start == s.end {
		s.start, s.end = colon+1, colon+1
	}
	if s.end > nextLine(r.text, colon) {
		r.splice(s.start, s.end, r.style.flow(nil, value, "", false))
		return nil
	}
	if len(value.Content) == 0 {
		r.splice(colon+1, s.end, r.style.flow([]byte{' '}, value, "", false))
		return nil
	}
	r.splice(colon+1, s.end, nil)
	below := indent + r.style.step
	if value.Kind == yaml.SequenceNode {
		below = indent + r.style.list
	}
	r.lines(nextLine(r.text, colon), r.style.block([]byte(spaces(below)), value, below))
	return nil
}

func (r *renderer) blockList(n *yaml.Node) error {
	dashes, last := r.dashes(n)
	column := r.column(dashes[last])
	for i := 0; i < len(n.Content); {
		item := n.Content[i]
		if isNew(item) && r.replaced[item] == nil {
			first := i
			for i < len(n.Content) && isNew(n.Content[i]) && r.replaced[n.Content[i]] == nil {
				i++
			}
			text := r.style.block([]byte(spaces(column)), &yaml.Node{Kind: yaml.SequenceNode, Content: n.Content[first:i]}, column)
			if i < len(n.Content) {
				r.lines(r.aboveComments(dashes[n.Content[i]]), text)
			} else {
				r.lines(r.blockEnd(n, r.listColumn(n, column)), text)
			}
			continue
		}
		if err := r.listItem(n, i, dashes); err != nil {
			return err
		}
		i++
	}
	return nil
}

// listItem renders what is new in an existing item, or leaves the item out.
func (r *renderer) listItem(n *yaml.Node, i int, dashes map[*yaml.Node]int) error {
	item := n.Content[i]
	switch {
	case r.removed[item]:
		end := r.blockEnd(item, r.column(dashes[item])+1)
		r.splice(r.aboveComments(dashes[item]), end, nil)
		return nil
	case !isNew(item):
		return r.node(item)
	}
	s := r.spans[r.replaced[item]]
	rest := r.text[s.end:nextLine(r.text, s.end)]
	if len(bytes.TrimSpace(rest)) > 0 {
		r.splice(s.start, s.end, r.style.flow(nil, item, "", false))
		return nil
	}
	r.splice(s.start, s.end, r.style.inline(nil, item, r.column(s.start)))
	return nil
}

// dashes are the places of the dashes before the items that stand in the text,
// and the last of those items.
func (r *renderer) dashes(n *yaml.Node) (at map[*yaml.Node]int, last *yaml.Node) {
	at = map[*yaml.Node]int{}
	from := r.spans[n].body
	for _, item := range n.Content {
		old := item
		if isNew(item) {
			if old = r.replaced[item]; old == nil {
				continue
			}
		}
		at[item] = skipSpace(r.text, from)
		from = r.spans[old].end
		last = item
	}
	return at, last
}

// listColumn is the least column of a comment behind a list that still belongs
// to it: a list may stand at the column of its key, where a comment is about
// what comes next.
func (r *renderer) listColumn(n *yaml.Node, column int) int {
	end := r.spans[n].end
	for at := nextLine(r.text, end); at < len(r.text); at = nextLine(r.text, at) {
		rest := bytes.TrimLeft(r.text[at:], " ")
		if len(rest) == 0 || rest[0] == '#' || breakLen(rest) > 0 {
			continue
		}
		if len(r.text[at:])-len(rest) < column {
			return column
		}
		break
	}
	return column + 1
}

// blockEnd is the start of the line behind a block collection and the comments
// that belong to it, which begin at column least or further right.
func (r *renderer) blockEnd(n *yaml.Node, least int) int {
	end := r.spans[n].end
	if end == 0 || lineStart(r.text, end) != end {
		end = nextLine(r.text, end)
	}
	for at := end; at < len(r.text); {
		next := nextLine(r.text, at)
		rest := bytes.TrimLeft(r.text[at:next], " ")
		if len(rest) > 0 && rest[0] == '#' {
			if next-at-len(rest) < least {
				break
			}
			end = next
		} else if len(bytes.TrimSpace(rest)) > 0 {
			break
		}
		at = next
	}
	return end
}

// aboveComments is the start of the first of the comment lines directly above
// the line that at is in, as far as they stand at its column.
func (r *renderer) aboveComments(at int) int {
	column := r.column(at)
	start := lineStart(r.text, at)
	for start > 0 {
		above := lineStart(r.text, start-breakBefore(r.text, start))
		line := r.text[above:start]
		rest := bytes.TrimLeft(line, " ")
		if len(rest) == 0 || rest[0] != '#' || len(line)-len(rest) != column {
			break
		}
		start = above
	}
	return start
}

// breakBefore is the length of the line end that stands before at.
func breakBefore(text []byte, at int) int {
	if at >= 2 && text[at-1] == '\n' && text[at-2] == '\r' {
		return 2
	}
	return 1
}
