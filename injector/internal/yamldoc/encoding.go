package yamldoc

import (
	"bytes"
	"unicode/utf8"
)

// checkEncoding says where data stops being UTF-8; nil where it is UTF-8
// throughout. A UTF-8 byte order mark is fine.
func checkEncoding(data []byte) *Error {
	const remedy = "save the file as UTF-8"
	if name := wideEncoding(data); name != "" {
		return &Error{Line: 1, Column: 1, Code: CodeEncoding, Message: "the text is " + name, Remedy: remedy}
	}
	if utf8.Valid(data) {
		return nil
	}
	valid := 0
	for valid < len(data) {
		r, size := utf8.DecodeRune(data[valid:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		valid += size
	}
	line, column := position(data, valid)
	return &Error{Line: line, Column: column, Code: CodeEncoding, Message: "the text is not valid UTF-8", Remedy: remedy}
}

// wideEncoding names an encoding of two or four bytes a character, known by its
// byte order mark or, without one, by the zero bytes around the first character.
func wideEncoding(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return "UTF-16"
	case len(data) >= 4 && data[0] == 0 && data[1] == 0 && data[2] == 0 && data[3] != 0,
		len(data) >= 4 && data[0] != 0 && data[1] == 0 && data[2] == 0 && data[3] == 0:
		return "UTF-32"
	case len(data) >= 2 && (data[0] == 0) != (data[1] == 0):
		return "UTF-16"
	}
	return ""
}

// position is the 1-based line and column, in characters, of a byte offset.
func position(data []byte, offset int) (line, column int) {
	before := bytes.TrimPrefix(data[:offset], []byte("\ufeff"))
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
