package workload

import (
	"bytes"
	"encoding/json"

	"gopkg.in/yaml.v3"
)

// detectStyle looks how the edited pod template is written, and the document
// around it where the template does not show.
func (e *editor) detectStyle() style {
	s := style{eol: "\n", colon: ": ", comma: ", ", tab: "  "}
	if i := bytes.IndexByte(e.text, '\n'); i > 0 && e.text[i-1] == '\r' {
		s.eol = "\r\n"
	}
	d := &styleDetector{editor: e, style: &s, list: -1}
	if e.template != nil {
		d.look(target(e.template))
	}
	d.look(e.root)
	s.list = max(d.list, 0)
	if s.step == 0 {
		s.step = 2
	}
	if s.dash == 0 {
		s.dash = 2
	}
	if s.json = json.Valid(e.text); s.json {
		e.detectJSON(&s)
	}
	return s
}

// detectJSON finds the white space that a JSON document uses.
func (e *editor) detectJSON(s *style) {
	if !bytes.Contains(e.text, []byte(`": `)) {
		s.colon, s.comma = ":", ","
	}
	for _, start := range e.lines {
		if end := skipBlankInLine(e.text, start); end > start && end < len(e.text) && breakLen(e.text[end:]) == 0 {
			s.tab = string(e.text[start:end])
			return
		}
	}
}

// styleDetector takes the first example of each kind of indentation.
type styleDetector struct {
	*editor
	style *style
	list  int
}

func (d *styleDetector) look(n *yaml.Node) {
	if d.style.step > 0 && d.list >= 0 && d.style.dash > 0 || isNew(n) || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return
	}
	column, ok := d.entryColumn(n)
	if !ok {
		return
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		if at, ok := d.entryColumn(child); ok && at >= column {
			d.note(n.Kind, child.Kind, at-column)
		}
		d.look(child)
	}
}

func (d *styleDetector) note(outer, inner yaml.Kind, width int) {
	switch {
	case outer == yaml.SequenceNode && inner == yaml.MappingNode && d.style.dash == 0:
		d.style.dash = width
	case outer == yaml.MappingNode && inner == yaml.SequenceNode && d.list < 0:
		d.list = width
	case outer == yaml.MappingNode && inner == yaml.MappingNode && d.style.step == 0:
		d.style.step = width
	}
}

// entryColumn is the column at which the entries of a block collection stand.
func (d *styleDetector) entryColumn(n *yaml.Node) (int, bool) {
	if isNew(n) || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 || isNew(n.Content[0]) {
		return 0, false
	}
	switch n.Kind {
	case yaml.MappingNode:
		return d.column(d.entryStart(n)), true
	case yaml.SequenceNode:
		return d.column(d.spans[n].body), true
	}
	return 0, false
}
