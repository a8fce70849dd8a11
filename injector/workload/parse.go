package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// document is one parsed chunk.
type document struct {
	// text is what was parsed: the chunk without its byte order mark.
	text []byte
	// lines are the offsets in text at which lines begin.
	lines []int
	// root is the document's only content; nil where the document is empty.
	root *yaml.Node
	// first is the line of the source at which text begins.
	first int
}

// Error is a fault with its place.
type Error struct {
	// Source is the name of the stream, as the caller gave it.
	Source string
	// Line and Column are 1-based; Line counts from the start of the source,
	// Column counts characters.
	Line, Column int
	// Message says what is wrong and what to do.
	Message string
}

// Error is `source:line:column: message`.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Source, e.Line, e.Column, e.Message)
}

// parse reads exactly one document; its errors are of type *Error.
func parse(text []byte, firstLine int) (doc *document, err error) {
	doc = &document{text: text, lines: lineStarts(text), first: firstLine}
	if !utf8.Valid(text) {
		return nil, doc.syntaxError(errors.New("the text is not UTF-8"))
	}
	// yaml.v3 raises its faults as panics and returns most of them as errors; on
	// input that it did not foresee a panic gets through.
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, &Error{Line: firstLine, Column: 1, Message: fmt.Sprintf("YAML cannot be read: %v", r)}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var node yaml.Node
	if err := dec.Decode(&node); errors.Is(err, io.EOF) {
		return doc, nil
	} else if err != nil {
		return nil, doc.syntaxError(err)
	}
	if len(node.Content) == 1 {
		doc.root = node.Content[0]
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		line := max(second.Line, 1)
		return nil, &Error{Line: firstLine + line - 1, Column: 1, Message: "a second document begins here without a line `---` before it"}
	} else if !errors.Is(err, io.EOF) {
		return nil, doc.syntaxError(err)
	}
	return doc, nil
}

// syntaxError finds the position of a fault that the library reported.
func (d *document) syntaxError(err error) error {
	if _, faults := yamldoc.ParseAll(d.text, yamldoc.Options{AllowNull: true}); len(faults) > 0 {
		f := faults[0]
		return &Error{Line: d.first + max(f.Line, 1) - 1, Column: max(f.Column, 1), Message: f.Text()}
	}
	return &Error{Line: d.first, Column: 1, Message: err.Error()}
}

// errorAt is a fault at a node.
func (d *document) errorAt(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: d.lineOf(n), Column: max(n.Column, 1), Message: fmt.Sprintf(format, args...)}
}

// lineOf is the node's line in the source.
func (d *document) lineOf(n *yaml.Node) int { return d.first + max(n.Line, 1) - 1 }

// lineStarts finds the lines as the YAML library counts them: a carriage return
// alone and three Unicode characters end a line too.
func lineStarts(text []byte) []int {
	lines := []int{0}
	for i := 0; i < len(text); {
		n := breakLen(text[i:])
		if n == 0 {
			i++
			continue
		}
		i += n
		lines = append(lines, i)
	}
	return lines
}

// breakLen is the length in bytes of the line end that b starts with, or 0.
func breakLen(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '\n':
		return 1
	case b[0] == '\r':
		if len(b) > 1 && b[1] == '\n' {
			return 2
		}
		return 1
	case bytes.HasPrefix(b, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(b, []byte("\u2028")), bytes.HasPrefix(b, []byte("\u2029")):
		return 3
	}
	return 0
}

// offset turns a position in lines and characters into one in bytes.
func (d *document) offset(line, column int) int {
	if line < 1 || line > len(d.lines) {
		return len(d.text)
	}
	at := d.lines[line-1]
	for i := 1; i < column && at < len(d.text); i++ {
		_, size := utf8.DecodeRune(d.text[at:])
		at += size
	}
	return at
}
