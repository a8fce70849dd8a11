package yamldoc

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"colocate.dev/colocate/injector/internal/pattern"
)

const (
	// lookahead is how many characters the YAML library has read beyond the place
	// where its scanner stands.
	lookahead = 4
	// linesBack is how many lines before that place may hold the fault: the library
	// learns only on a later line that a key had no colon.
	linesBack = 4
	// linesBackOpen is the same for brackets that are not closed.
	linesBackOpen = 40
)

// libraryError is the form of the YAML library's errors. Its line is that of
// the block around the fault, off by one, or missing.
var libraryError = pattern.New(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// locate turns an error of the YAML library into one with a position. The
// library knows the position and does not tell it, so the text is read again: a
// byte at a time, to see how far it comes, and then cut after one line and
// another, to see with which line the same fault appears.
func locate(data []byte, err error) *Error {
	match := libraryError().FindStringSubmatch(err.Error())
	problem := match[2]
	if problem == "found unexpected end of stream" {
		return unterminated(data, match[1])
	}
	// Newlines after the end keep the lookahead from being cut short by it.
	reader := &byteReader{data: append(bytes.Clone(data), strings.Repeat("\n", lookahead)...)}
	_, _ = decode(reader)
	reached := reader.read
	if problem != "control characters are not allowed" {
		reached = backward(reader.data, reached, lookahead)
	} else {
		reached = backward(reader.data, reached, 1)
	}
	reached = min(reached, len(data))
	if strings.HasPrefix(problem, "exceeded max depth") {
		line, column := position(data, reached)
		return &Error{Line: line, Column: column, Code: CodeDepth, Message: "values are nested too deeply to be read", Remedy: "write it flatter"}
	}
	if strings.Contains(problem, "tab character") || tabAt(data, reached) {
		return tabError(data, min(reader.read, len(data)), reached)
	}
	if exactAt(problem) {
		line, column := position(data, reached)
		return syntaxError(line, column, problem, data[reached:])
	}
	line, text := faultyLine(data, reached, problem, brackets(problem))
	trimmed := bytes.TrimLeft(text, " \t")
	column := 1 + len(text) - len(trimmed)
	if name, ok := strings.CutPrefix(problem, "unknown anchor '"); ok {
		name = "*" + strings.TrimSuffix(name, "' referenced")
		if i := bytes.Index(text, []byte(name)); i >= 0 {
			column = 1 + utf8.RuneCount(text[:i])
		}
		return &Error{Line: line, Column: column, Code: CodeAlias, Message: "alias " + strconv.Quote(name[1:]) + " has no anchor", Remedy: "write the anchor before it, in the same document"}
	}
	return syntaxError(line, column, problem, trimmed)
}

// exactAt says whether the scanner stands at the fault itself.
func exactAt(problem string) bool {
	switch problem {
	case "found character that cannot start any token",
		"mapping values are not allowed in this context",
		"control characters are not allowed":
		return true
	}
	return false
}

// brackets says whether the problem is one of brackets or braces left open. Then
// the text up to any line after the opening one has it.
func brackets(problem string) bool {
	return strings.HasPrefix(problem, "did not find expected ','")
}

// faultyLine is the earliest of the last lines up to offset such that the text up
// to its end has the same problem; the number is 1-based, the text without its
// end. With open it is the first of the lines up to offset that leave the text
// incomplete one after another.
func faultyLine(data []byte, offset int, problem string, open bool) (int, []byte) {
	last, _ := position(data, offset)
	lines := bytes.SplitAfter(data, []byte{'\n'})
	left := linesBack
	if open {
		left = linesBackOpen
	}
	found, end := last, len(bytes.Join(lines[:last], nil))
	for n := last; n >= 1 && left > 0; n-- {
		if !blank(lines[n-1]) {
			left--
			_, err := decode(bytes.NewReader(data[:end]))
			if err != nil && (open || strings.HasSuffix(err.Error(), problem)) {
				found = n
			} else if open || found != last {
				break
			}
		}
		end -= len(lines[n-1])
	}
	return found, bytes.TrimPrefix(bytes.TrimRight(lines[found-1], "\r\n"), []byte("\ufeff"))
}

// blank says whether a line has neither keys nor values in it.
func blank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// unterminated is the error of a quoted text that never ends. The library's line
// is that of the opening quote unless that is the first.
func unterminated(data []byte, line string) *Error {
	lines := bytes.Split(data, []byte{'\n'})
	n, _ := strconv.Atoi(line)
	if n < 1 || n > len(lines) || !bytes.ContainsAny(lines[n-1], `"'`) {
		n = 1
	}
	column := 1
	if i := bytes.IndexAny(lines[n-1], `"'`); i > 0 {
		column += utf8.RuneCount(lines[n-1][:i])
	}
	return &Error{Line: n, Column: column, Code: CodeSyntax, Message: "a quoted text begins here and does not end", Remedy: "close the quotes"}
}

// tabAt says whether offset is in a tab that begins a line or follows spaces that do.
func tabAt(data []byte, offset int) bool {
	return offset < len(data) && data[offset] == '\t'
}

// tabError points at the tab at reached, or at the last one before read.
func tabError(data []byte, read, reached int) *Error {
	at := reached
	if !tabAt(data, at) {
		at = max(0, bytes.LastIndexByte(data[:read], '\t'))
	}
	line, column := position(data, at)
	return &Error{Line: line, Column: column, Code: CodeTab, Message: "a tab stands where YAML wants spaces", Remedy: "indent with spaces"}
}

// syntaxError words a problem of the YAML library for people; rest is the text
// from the fault on.
func syntaxError(line, column int, problem string, rest []byte) *Error {
	e := &Error{Line: line, Column: column, Code: CodeSyntax, Message: problem}
	switch problem {
	case "found character that cannot start any token":
		r, _ := utf8.DecodeRune(rest)
		e.Message, e.Remedy = "a value cannot begin with "+strconv.Quote(string(r)), "quote it"
	case "mapping values are not allowed in this context":
		e.Message, e.Remedy = "a \":\" stands where no key can be", "quote the text, or correct the indentation"
	case "did not find expected key":
		e.Message, e.Remedy = "this belongs to nothing above it: a key was expected", "align it with the keys above, or quote the value before it"
	case "did not find expected '-' indicator":
		e.Message, e.Remedy = "this stands at the level of a list and is no item of it", "begin it with \"- \", or correct the indentation"
	case "could not find expected ':'":
		e.Message, e.Remedy = "this is a key without \":\"", "add the colon, or indent it as part of the value above"
	case "did not find expected ',' or ']'":
		e.Message, e.Remedy = "a list in brackets that is open here lacks a \",\" or its \"]\"", "close the list"
	case "did not find expected ',' or '}'":
		e.Message, e.Remedy = "a mapping in braces that is open here lacks a \",\" or its \"}\"", "close the mapping"
	case "did not find expected node content":
		e.Message, e.Remedy = "a value is missing, or a bracket has no partner", "write the value, or close the bracket"
	case "control characters are not allowed":
		e.Message, e.Remedy = "a control character stands here", "remove it, or write it as an escape in double quotes"
	}
	return e
}

// backward is the offset of the character that is n characters before offset.
func backward(data []byte, offset, n int) int {
	for ; n > 0 && offset > 0; n-- {
		_, size := utf8.DecodeLastRune(data[:offset])
		offset -= size
	}
	return offset
}

// byteReader gives one byte a call, so that read tells how far a reader came.
type byteReader struct {
	data []byte
	read int
}

func (r *byteReader) Read(p []byte) (int, error) {
	if r.read >= len(r.data) {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	p[0] = r.data[r.read]
	r.read++
	return 1, nil
}
