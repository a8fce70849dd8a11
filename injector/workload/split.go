package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxDocument is the largest document that is read, in bytes. One document is
// held in memory as a whole, and a YAML tree is about ten times its text.
const MaxDocument = 64 << 20

// chunk is one document with everything around it: the separator before it,
// comments, directives and the end marker. All chunks of a stream, put together,
// are the stream.
type chunk struct {
	text []byte
	// index counts the documents of a source from 1.
	index int
	// line is the line of the source, from 1, at which text begins.
	line int
	err  error
}

// splitter cuts a stream into chunks. It reads by lines and holds no more than
// one document.
type splitter struct {
	in    *bufio.Reader
	limit int
	index int
	line  int
	// pending is a line that was read and belongs to the next chunk.
	pending []byte
	done    bool
	scan    jsonScan
}

func newSplitter(in io.Reader, limit int) *splitter {
	return &splitter{in: bufio.NewReaderSize(in, 64<<10), limit: limit, line: 1}
}

// next returns io.EOF after the last chunk. A document over the limit comes as
// a chunk with err set and without text; the ones after it are read all the same.
func (s *splitter) next() (chunk, error) {
	if s.done && s.pending == nil {
		return chunk{}, io.EOF
	}
	s.index++
	c := chunk{index: s.index, line: s.line}
	s.scan = jsonScan{}
	content, lines, size := false, 0, 0
	for {
		line, over, err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return chunk{}, err
		}
		if len(line) == 0 && errors.Is(err, io.EOF) {
			break
		}
		if content && (isMarker(line, "---") || s.scan.endsBefore(c.text, line)) {
			s.pending = line
			break
		}
		lines++
		size += len(line)
		over = over || size > s.limit
		if over && c.err == nil {
			c.err = fmt.Errorf("document is larger than %d MiB; split it", s.limit>>20)
		}
		if c.err == nil {
			c.text = append(c.text, line...)
			s.scan.line(line)
		}
		content = content || hasContent(line)
		if isMarker(line, "...") {
			break
		}
	}
	s.line += lines
	if lines == 0 {
		return chunk{}, io.EOF
	}
	if c.err != nil {
		c.text = nil
	}
	return c, nil
}

// readLine returns the next line with its end. A line longer than the limit
// is read to its end, cut, and reported as over.
func (s *splitter) readLine() (line []byte, over bool, err error) {
	if s.pending != nil {
		line, s.pending = s.pending, nil
		return line, false, nil
	}
	if s.done {
		return nil, false, io.EOF
	}
	for {
		part, err := s.in.ReadSlice('\n')
		if len(line)+len(part) > s.limit {
			over = true
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		s.done = errors.Is(err, io.EOF)
		return line, over, err
	}
}

var utf8BOM = []byte("\xef\xbb\xbf")

// isMarker says whether line is the document marker: at the very start, and
// followed by white space or nothing. Inside a quoted scalar such a line is an
// error in YAML, and in a block scalar it is indented, so no state is needed.
func isMarker(line []byte, marker string) bool {
	line = bytes.TrimPrefix(line, utf8BOM)
	if !bytes.HasPrefix(line, []byte(marker)) {
		return false
	}
	rest := line[len(marker):]
	return len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0
}

// hasContent says whether a marker after line starts another document: a line
// that is neither blank nor a comment nor a directive.
func hasContent(line []byte) bool {
	line = bytes.TrimPrefix(line, utf8BOM)
	if len(line) > 0 && line[0] == '%' {
		return false
	}
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] != '#'
}

// jsonScan finds where a JSON value ends that another follows without a
// separator, as `kubectl get -o json` and tools that write JSON lines do.
type jsonScan struct {
	state   byte // 0 nothing yet, '{' inside or after an object, 'x' something else
	depth   int
	quoted  bool
	escaped bool
}

func (j *jsonScan) line(line []byte) {
	for _, b := range bytes.TrimPrefix(line, utf8BOM) {
		if j.state == 'x' {
			return
		}
		j.next(b)
	}
}

func (j *jsonScan) next(b byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case j.quoted && b == '\\':
		j.escaped = true
	case b == '"' && j.state == '{':
		j.quoted = !j.quoted
	case j.quoted:
	case b == '{' || b == '[' && j.state == '{':
		j.state = '{'
		j.depth++
	case (b == '}' || b == ']') && j.state == '{':
		j.depth--
	case j.state == 0 && b > ' ':
		j.state = 'x'
	}
}

// endsBefore says whether text is one complete JSON object and line begins
// another. Flow-style YAML looks alike, so text must be valid JSON too.
func (j *jsonScan) endsBefore(text, line []byte) bool {
	return j.state == '{' && j.depth == 0 && len(line) > 0 && line[0] == '{' &&
		json.Valid(bytes.TrimPrefix(text, utf8BOM))
}
