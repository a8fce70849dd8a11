package workload

import (
	"bytes"

	"gopkg.in/yaml.v3"
)

// flowCollection renders what is new in a collection in flow style.
func (r *renderer) flowCollection(n *yaml.Node) error {
	width := 1
	if n.Kind == yaml.MappingNode {
		width = 2
	}
	var before []*yaml.Node // the entry in the text before the current one
	for i := 0; i < len(n.Content); {
		entry := n.Content[i : i+width]
		if !r.fresh(entry) {
			if err := r.flowEntry(entry, before); err != nil {
				return err
			}
			before = entry
			i += width
			continue
		}
		first := i
		for i < len(n.Content) && r.fresh(n.Content[i:i+width]) {
			i += width
		}
		var after []*yaml.Node
		if i < len(n.Content) {
			after = n.Content[i : i+width]
		}
		r.flowInsert(n, n.Content[first:i], width, before, after)
	}
	return nil
}

// fresh says whether an entry is new, and not in the place of another.
func (r *renderer) fresh(entry []*yaml.Node) bool {
	return isNew(entry[0]) && (len(entry) == 2 || r.replaced[entry[0]] == nil)
}

// original is the node in the text that n is or stands for.
func (r *renderer) original(n *yaml.Node) *yaml.Node {
	if old := r.replaced[n]; old != nil {
		return old
	}
	return n
}

// flowEntry renders what is new in an entry that the text has.
func (r *renderer) flowEntry(entry, before []*yaml.Node) error {
	value := entry[len(entry)-1]
	if r.removed[value] {
		r.flowRemove(value, before)
		return nil
	}
	if !isNew(value) {
		return r.node(value)
	}
	lead, pretty := r.lineLead(r.spans[r.original(entry[0])].start)
	text := r.style.flow(nil, value, lead, pretty && r.style.json)
	s := r.spans[r.replaced[value]]
	if s.start < s.end {
		r.splice(s.start, s.end, text)
		return nil
	}
	// A null that is not written: `{a: }`, or `{a}` without a colon.
	at := r.spans[entry[0]].end
	separator := r.style.colon
	if colon := r.colonAfter(entry[0]); colon >= 0 {
		at, separator = colon+1, " "
	}
	r.splice(at, at, append([]byte(separator), text...))
	return nil
}

// flowRemove takes an item out, with the comma behind it or, where it is the
// last, the comma before it.
func (r *renderer) flowRemove(item *yaml.Node, before []*yaml.Node) {
	s := r.spans[item]
	next := skipSpace(r.text, s.end)
	switch {
	case next < len(r.text) && r.text[next] == ',':
		r.splice(s.start, skipBlank(r.text, next+1), nil)
	case before != nil && !r.removed[before[0]]:
		r.splice(r.spans[r.original(before[0])].end, s.end, nil)
	default:
		r.splice(s.start, s.end, nil)
	}
}

// skipBlank moves over blanks and line ends, not over comments.
func skipBlank(text []byte, at int) int {
	for at < len(text) {
		if n := breakLen(text[at:]); n > 0 {
			at += n
		} else if isBlank(text[at]) {
			at++
		} else {
			break
		}
	}
	return at
}

// flowInsert inserts new entries between two that the text has; either may be nil.
func (r *renderer) flowInsert(n *yaml.Node, entries []*yaml.Node, width int, before, after []*yaml.Node) {
	s := r.spans[n]
	switch {
	case after != nil:
		at := r.spans[r.original(after[0])].start
		lead, own := r.lineLead(at)
		var text []byte
		for i := 0; i < len(entries); i += width {
			text = r.style.member(text, entries[i:i+width], lead, own && r.style.json)
			if own {
				text = append(text, ","+r.style.eol+lead...)
			} else {
				text = append(text, r.style.comma...)
			}
		}
		r.splice(at, at, text)
	case before != nil:
		r.flowAppend(n, entries, width, before)
	default:
		lead, own := r.lineLead(s.start)
		if !own {
			lead, own = r.keyLead(s.start)
		}
		fresh := &yaml.Node{Kind: n.Kind, Content: entries}
		text := r.style.flow(nil, fresh, lead, own && r.style.json)
		if len(bytes.TrimSpace(r.text[s.body+1:s.end-1])) == 0 {
			r.splice(s.body+1, s.end-1, text[1:len(text)-1])
			return
		}
		r.splice(s.body+1, s.body+1, text[1:len(text)-1])
	}
}

// flowAppend inserts entries behind the last one, and a comma between them
// unless there is one already.
func (r *renderer) flowAppend(n *yaml.Node, entries []*yaml.Node, width int, before []*yaml.Node) {
	end := r.spans[r.original(before[len(before)-1])].end
	if len(before) == 2 {
		if colon := r.colonAfter(before[0]); colon >= 0 {
			if end = max(end, colon+1); r.spans[r.original(before[1])].start == r.spans[r.original(before[1])].end {
				end = colon + 1 // a null that is not written
			}
		}
	}
	lead, own := r.lineLead(r.spans[r.original(before[0])].start)
	own = own && lineStart(r.text, r.spans[n].body) != lineStart(r.text, r.spans[r.original(before[0])].start)
	at, comma := end, false
	if next := skipSpace(r.text, end); next < len(r.text) && r.text[next] == ',' {
		at, comma = next+1, true
	}
	if !comma {
		r.splice(end, end, []byte{','})
	}
	if rest := skipBlankInLine(r.text, at); rest < len(r.text) && r.text[rest] == '#' {
		for at = rest; at < len(r.text) && breakLen(r.text[at:]) == 0; at++ {
		}
		if !own {
			lead, own = r.lineIndent(at), true
		}
	}
	var text []byte
	for i := 0; i < len(entries); i += width {
		if i > 0 {
			text = append(text, ',')
		}
		if own {
			text = append(text, r.style.eol+lead...)
		} else {
			text = append(text, r.style.comma[1:]...)
		}
		text = r.style.member(text, entries[i:i+width], lead, own && r.style.json)
	}
	r.splice(at, at, text)
}

func skipBlankInLine(text []byte, at int) int {
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	return at
}

// lineLead is the white space before at in its line, and whether that is all.
func (r *renderer) lineLead(at int) (lead string, alone bool) {
	before := r.text[lineStart(r.text, at):at]
	return string(before), len(bytes.TrimLeft(before, " \t")) == 0
}

// keyLead is the white space at the start of the line of a key whose value
// begins at at; false where the line begins with something else.
func (r *renderer) keyLead(at int) (lead string, own bool) {
	line := r.text[lineStart(r.text, at):at]
	rest := bytes.TrimLeft(line, " \t")
	return r.lineIndent(at), len(rest) > 0 && rest[0] == '"'
}

func (r *renderer) lineIndent(at int) string {
	start := lineStart(r.text, at)
	return string(r.text[start:skipBlankInLine(r.text, start)])
}
