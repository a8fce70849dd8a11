package injector

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// A cursor reads JSON once, from front to back. It checks everything that it
// passes, also what it steps over, so that it never takes a document that
// encoding/json refuses; what it hands out are views into the bytes. It is
// stricter than encoding/json where two readers could disagree: a known key
// that stands twice or in another case, and invalid UTF-8 in a string that is
// read, are errors. reader_reference_test.go holds it against encoding/json.
//
// The first error sticks; after it every method returns zero values and the
// loops over members end.
type cursor struct {
	b     []byte
	i     int
	depth int
	err   error
}

// maxDepth bounds nesting: a pod of the API server has less than 30 levels.
const maxDepth = 512

var errTruncated = errors.New("unexpected end of JSON")

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("byte %d: "+format, append([]any{c.i}, args...)...)
	}
}

// peek steps over white space and returns the byte that follows, 0 at the end.
func (c *cursor) peek() byte {
	for ; c.i < len(c.b); c.i++ {
		if x := c.b[c.i]; x > ' ' || (x != ' ' && x != '\n' && x != '\t' && x != '\r') {
			return x
		}
	}
	return 0
}

// enter consumes the opening bracket of an object or array. It returns false,
// having consumed the value, where that is null, and false with an error where
// it is anything else.
func (c *cursor) enter(open byte, what string) bool {
	if c.err != nil {
		return false
	}
	switch c.peek() {
	case open:
		if c.depth++; c.depth > maxDepth {
			c.fail("more than %d levels deep", maxDepth)
			return false
		}
		c.i++
		return true
	case 'n':
		c.literal("null")
	default:
		kind := "an object"
		if open == '[' {
			kind = "a list"
		}
		c.fail("%s is not %s", what, kind)
	}
	return false
}

// more reports whether member number n (from 0) of the open object or array
// follows; it consumes the comma before it or the closing bracket.
func (c *cursor) more(closing byte, n int) bool {
	if c.err != nil {
		return false
	}
	switch x := c.peek(); {
	case x == closing:
		c.i++
		c.depth--
		return false
	case n == 0:
		return true
	case x == ',':
		c.i++
		return true
	case c.i >= len(c.b):
		c.err = errTruncated
	default:
		c.fail("unexpected %q between members", x)
	}
	return false
}

// key reads a member's key and the colon. The result is valid until the next
// read where the key holds an escape.
func (c *cursor) key() []byte {
	k := c.text()
	if c.err == nil {
		if c.peek() != ':' {
			c.fail("no colon after key %q", k)
			return nil
		}
		c.i++
	}
	return k
}

// str reads a string value, or null as the empty string.
func (c *cursor) str(what string) []byte {
	if c.err != nil {
		return nil
	}
	switch c.peek() {
	case '"':
		return c.text()
	case 'n':
		c.literal("null")
	default:
		c.fail("%s is not a string", what)
	}
	return nil
}

// text reads a string literal.
func (c *cursor) text() []byte {
	if c.peek() != '"' {
		c.fail("no string where one must stand")
		return nil
	}
	at := c.i
	plain := c.passString()
	if c.err != nil {
		return nil
	}
	raw := c.b[at:c.i]
	if plain&escapes != 0 {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			c.fail("%v", err)
			return nil
		}
		if plain&wide != 0 && !utf8.Valid(raw) {
			c.fail("invalid UTF-8 in a string")
			return nil
		}
		return []byte(s)
	}
	raw = raw[1 : len(raw)-1]
	if plain&wide != 0 && !utf8.Valid(raw) {
		c.fail("invalid UTF-8 in a string")
		return nil
	}
	return raw
}

const (
	escapes = 1 << iota // the string holds a backslash
	wide                // the string holds bytes above 0x7f

	lows   = 0x0101010101010101
	highs  = 0x80 * lows
	spaces = ' ' * lows
	quotes = '"' * lows
	slants = '\\' * lows
)

// passString steps over a string literal, eight bytes at a time where nothing
// special is among them. For a word w, (w^x)-lows &^ (w^x) has a high bit set
// for the first byte equal to x, and (w-spaces) &^ w for the first control
// character; later bytes may be marked wrongly, so the marked word is then
// looked at byte by byte.
func (c *cursor) passString() (found int) {
	b, i := c.b, c.i+1
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			q, s := w^quotes, w^slants
			if m := ((q-lows)&^q | (s-lows)&^s | (w-spaces)&^w) & highs; m != 0 {
				if w&highs != 0 {
					found |= wide
				}
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			if w&highs != 0 {
				found |= wide
			}
			i += 8
		}
		if i >= len(b) {
			c.i, c.err = i, errTruncated
			return found
		}
		switch x := b[i]; {
		case x == '"':
			c.i = i + 1
			return found
		case x == '\\':
			found |= escapes
			n := escapeLen(b[i:])
			if n == 0 {
				c.i = i
				c.fail("invalid escape in a string")
				return found
			}
			i += n
		case x < ' ':
			c.i = i
			c.fail("control character %#02x in a string", x)
			return found
		default:
			if x >= utf8.RuneSelf {
				found |= wide
			}
			i++
		}
	}
}

// escapeLen is the length of the escape that b starts with, 0 where it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, x := range b[2:6] {
			if (x < '0' || x > '9') && (x|0x20 < 'a' || x|0x20 > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// skip steps over one value of any kind and checks it.
func (c *cursor) skip() {
	if c.err != nil {
		return
	}
	switch x := c.peek(); x {
	case '"':
		c.passString()
	case '{':
		c.enter('{', "")
		for n := 0; c.more('}', n); n++ {
			if c.peek() != '"' {
				c.fail("no string where a key must stand")
				return
			}
			if c.passString(); c.err != nil {
				return
			}
			if c.peek() != ':' {
				c.fail("no colon after a key")
				return
			}
			c.i++
			c.skip()
		}
	case '[':
		c.enter('[', "")
		for n := 0; c.more(']', n); n++ {
			c.skip()
		}
	case 't':
		c.literal("true")
	case 'f':
		c.literal("false")
	case 'n':
		c.literal("null")
	default:
		c.number()
	}
}

func (c *cursor) literal(word string) {
	if !bytes.HasPrefix(c.b[c.i:], []byte(word)) {
		c.fail("invalid literal")
		return
	}
	c.i += len(word)
}

// number steps over a JSON number and returns its text.
func (c *cursor) number() []byte {
	at := c.i
	if c.i < len(c.b) && c.b[c.i] == '-' {
		c.i++
	}
	switch n := c.digits(); {
	case n == 0:
		c.i = at
		if at >= len(c.b) {
			c.err = errTruncated
			return nil
		}
		c.fail("unexpected %q", c.b[at])
		return nil
	case n > 1 && c.b[c.i-n] == '0':
		c.fail("number with a leading zero")
		return nil
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		if c.i++; c.digits() == 0 {
			c.fail("number without digits after the point")
			return nil
		}
	}
	if c.i < len(c.b) && c.b[c.i]|0x20 == 'e' {
		if c.i++; c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		if c.digits() == 0 {
			c.fail("number without digits in the exponent")
			return nil
		}
	}
	return c.b[at:c.i]
}

func (c *cursor) digits() (n int) {
	for ; c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9'; c.i++ {
		n++
	}
	return n
}

// int32 reads an integer of 32 bits, or null as 0.
func (c *cursor) int32(what string) int32 {
	if c.err != nil {
		return 0
	}
	if c.peek() == 'n' {
		c.literal("null")
		return 0
	}
	text := c.number()
	if c.err != nil {
		c.err = fmt.Errorf("%s is not a number: %w", what, c.err)
		return 0
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil {
		c.fail("%s is not an integer of 32 bits", what)
		return 0
	}
	return int32(n)
}

// seconds reads an integer of 64 bits; null leaves it unset.
func (c *cursor) seconds(what string) seconds {
	if c.err != nil || c.peek() == 'n' {
		c.skip()
		return seconds{}
	}
	text := c.number()
	if c.err != nil {
		c.err = fmt.Errorf("%s is not a number: %w", what, c.err)
		return seconds{}
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		c.fail("%s is not an integer of 64 bits", what)
		return seconds{}
	}
	return seconds{n, true}
}

// view steps over a value and returns its bytes, nil for null.
func (c *cursor) view() []byte {
	null := c.peek() == 'n'
	at := c.i
	if c.skip(); c.err != nil || null {
		return nil
	}
	return c.b[at:c.i]
}

// bool reads a boolean, or null as false.
func (c *cursor) bool(what string) bool {
	if c.err != nil {
		return false
	}
	switch c.peek() {
	case 't':
		c.literal("true")
		return c.err == nil
	case 'f':
		c.literal("false")
	case 'n':
		c.literal("null")
	default:
		c.fail("%s is not a boolean", what)
	}
	return false
}

// end reports an error unless only white space is left.
func (c *cursor) end() {
	if c.err == nil && c.peek() != 0 || c.err == nil && c.i < len(c.b) {
		c.fail("something follows the end of the document")
	}
}

// fields tells the known keys of one object apart and notices what two readers
// could understand differently.
type fields struct {
	names []string
	seen  uint32
}

// index returns the position of key in names, or -1 for a key that is not ours.
// A known key that stands twice or differs in case only is an error.
func (f *fields) index(c *cursor, key []byte) int {
	ascii := true
	for i, name := range f.names {
		if string(key) == name {
			if f.seen&(1<<i) != 0 {
				c.fail("%q stands twice", name)
			}
			f.seen |= 1 << i
			return i
		}
	}
	for _, x := range key {
		ascii = ascii && x < utf8.RuneSelf
	}
	for _, name := range f.names {
		if (len(key) == len(name) || !ascii) && bytes.EqualFold(key, []byte(name)) {
			c.fail("%q must be written %q", key, name)
		}
	}
	return -1
}
