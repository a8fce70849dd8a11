package workload

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// contextLines is how many unchanged lines a hunk shows around a change.
const contextLines = 3

// writeDiff writes the hunks of one document. Line numbers are those of the
// source, so that `patch` can apply the whole. What is left out is not shown.
func (o *Output) writeDiff(out outcome) error {
	if out.text == nil || bytes.Equal(out.text, out.chunk.text) {
		return nil
	}
	var buf strings.Builder
	if !o.headed {
		o.headed = true
		o.line(&buf, "1", "--- "+o.source+"\n")
		o.line(&buf, "1", "+++ "+o.source+"\n")
	}
	a, b := splitLines(out.chunk.text), splitLines(out.text)
	// Insertions leave most lines alone: what both texts have at the start and
	// at the end need not be searched.
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < min(len(a), len(b))-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	skip, drop := max(same-contextLines, 0), max(tail-contextLines, 0)
	m := difflib.NewMatcherWithJunk(a[skip:len(a)-drop], b[skip:len(b)-drop], false, nil)
	first := out.chunk.line + skip
	for _, group := range m.GetGroupedOpCodes(contextLines) {
		o.hunk(&buf, group, first, a[skip:], b[skip:])
	}
	o.shift += len(b) - len(a)
	_, err := o.w.Write([]byte(buf.String()))
	return err
}

// hunk writes one hunk; first is the source's line of a[0].
func (o *Output) hunk(buf *strings.Builder, group []difflib.OpCode, first int, a, b []string) {
	head, end := group[0], group[len(group)-1]
	o.line(buf, "36", fmt.Sprintf("@@ -%s +%s @@\n",
		lineRange(first+head.I1, end.I2-head.I1), lineRange(first+o.shift+head.J1, end.J2-head.J1)))
	for _, c := range group {
		if c.Tag == 'e' {
			for _, line := range a[c.I1:c.I2] {
				o.line(buf, "", " "+line)
			}
			continue
		}
		for _, line := range a[c.I1:c.I2] {
			o.line(buf, "31", "-"+line)
		}
		for _, line := range b[c.J1:c.J2] {
			o.line(buf, "32", "+"+line)
		}
	}
}

// lineRange is a hunk's range; one of no lines names the line before it.
func lineRange(first, count int) string {
	switch count {
	case 1:
		return fmt.Sprint(first)
	case 0:
		first--
	}
	return fmt.Sprintf("%d,%d", first, count)
}

// line writes a line of the diff, in an ANSI colour where colours are asked for.
func (o *Output) line(buf *strings.Builder, colour, line string) {
	text := strings.TrimSuffix(line, "\n")
	if o.colour && colour != "" {
		buf.WriteString("\x1b[" + colour + "m" + text + "\x1b[0m\n")
	} else {
		buf.WriteString(text + "\n")
	}
	if text == line {
		buf.WriteString("\\ No newline at end of file\n")
	}
}

func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
