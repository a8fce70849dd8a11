package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format is what is written.
type Format int

const (
	// YAML is the text itself, with the additions in it.
	YAML Format = iota
	// JSON is every document as JSON, one after the other.
	JSON
	// Patch is one line for every object that gets something: its RFC 6902 patch.
	Patch
	// Diff is one unified diff for every source that changes.
	Diff
)

// Formats are the names of the formats, in their order.
func Formats() []string { return []string{"yaml", "json", "patch", "diff"} }

// ParseFormat finds a format by its name; the error lists the names.
func ParseFormat(name string) (Format, error) {
	for i, f := range Formats() {
		if f == name {
			return Format(i), nil
		}
	}
	return YAML, fmt.Errorf("output format %q is not known: use %s", name, strings.Join(Formats(), ", "))
}

// Output writes the documents of one source after another, with the separators
// that they need between them.
type Output struct {
	w      io.Writer
	format Format
	colour bool

	// last is the document written last and where it was in its source; nil
	// before the first.
	last   []byte
	index  int
	source string
	// shift is by how many lines the source has grown so far, for diffs.
	shift  int
	headed bool
}

// NewOutput returns an Output for any number of sources. Colour is for diffs on
// a terminal.
func NewOutput(w io.Writer, format Format, colour bool) *Output {
	return &Output{w: w, format: format, colour: colour}
}

// begin starts a source.
func (o *Output) begin(source string) {
	o.source, o.index, o.shift, o.headed = source, -1, 0, false
}

func (o *Output) write(out outcome) error {
	switch o.format {
	case YAML:
		return o.writeText(out)
	case Diff:
		return o.writeDiff(out)
	}
	_, err := o.w.Write(out.rendered)
	return err
}

// writeText writes a document's text. Where the document before it in the
// source was written, nothing has to come between.
func (o *Output) writeText(out outcome) error {
	if out.text == nil {
		return nil
	}
	text := out.text
	if o.last != nil && o.index != out.chunk.index-1 {
		text = bytes.TrimPrefix(text, utf8BOM)
		if _, err := io.WriteString(o.w, separator(o.last, text)); err != nil {
			return err
		}
	}
	o.last, o.index = out.text, out.chunk.index
	_, err := o.w.Write(text)
	return err
}

// separator is what has to stand between two documents that did not follow each
// other, or come from two sources.
func separator(before, after []byte) string {
	eol := "\n"
	if bytes.Contains(before, []byte("\r\n")) {
		eol = "\r\n"
	}
	s := ""
	if before[len(before)-1] != '\n' {
		s = eol
	}
	first := contentLine(after)
	ended := false
	for line := range bytes.Lines(before) {
		ended = isMarker(line, "...")
	}
	switch {
	case ended || isMarker(first, "---"):
		return s
	case len(first) > 0 && first[0] == '%':
		return s + "..." + eol
	case bytes.HasPrefix(contentLine(before), []byte("{")) && bytes.HasPrefix(first, []byte("{")):
		return s
	}
	return s + "---" + eol
}

// contentLine is the first line that is neither blank nor a comment.
func contentLine(text []byte) []byte {
	for line := range bytes.Lines(bytes.TrimPrefix(text, utf8BOM)) {
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			return line
		}
	}
	return nil
}

// render prepares what the formats other than YAML write.
func (o *outcome) render(format Format, text []byte, changes []change) error {
	switch format {
	case JSON:
		d, err := parse(text, o.chunk.line)
		if err != nil || d.root == nil {
			return err
		}
		raw, err := d.json(d.root)
		if err != nil {
			return err
		}
		var buf bytes.Buffer
		if err := json.Indent(&buf, raw, "", "    "); err != nil {
			return err
		}
		buf.WriteByte('\n')
		o.rendered = buf.Bytes()
	case Patch:
		for _, c := range changes {
			if !c.remove {
				line, err := patchLine(c)
				if err != nil {
					return err
				}
				o.rendered = append(o.rendered, line...)
			}
		}
	}
	return nil
}

// patchLine is the patch of one object, with paths from the object's root.
func patchLine(c change) ([]byte, error) {
	ops := make([]operation, len(c.ops))
	for i, op := range c.ops {
		op.Path = pointer(c.pod) + op.Path
		ops[i] = op
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(ops)
	return buf.Bytes(), err
}

// pointer is a JSON pointer (RFC 6901).
func pointer(path []string) string {
	s := ""
	for _, p := range path {
		s += "/" + strings.ReplaceAll(strings.ReplaceAll(p, "~", "~0"), "/", "~1")
	}
	return s
}
