package injector

import (
	"bytes"
	"errors"
	"fmt"
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
	// special is whether the string that was read last may hold letters beyond ASCII.
	special bool

	// closings are the brackets that end what is open in a value that is stepped over.
	closings [maxDepth]byte
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
	if c.i < len(c.b) && c.b[c.i] > ' ' {
		return c.b[c.i]
	}
	return c.peekFar()
}

func (c *cursor) peekFar() byte {
	for ; c.i < len(c.b); c.i++ {
		if x := c.b[c.i]; x > ' ' || (x != ' ' && x != '\n' && x != '\t' && x != '\r') {
			return x
		}
	}
	return 0
}

// open steps over an opening bracket, close over a closing one.
func (c *cursor) open() bool {
	if c.depth == maxDepth {
		c.tooDeep()
		return false
	}
	c.depth++
	c.i++
	return true
}

func (c *cursor) tooDeep() int {
	c.fail("more than %d levels deep", maxDepth)
	return -1
}

func (c *cursor) close() {
	c.i++
	c.depth--
}

// unexpected reports the next byte, or that there is none.
func (c *cursor) unexpected(where string) {
	switch {
	case c.err != nil:
	case c.i >= len(c.b):
		c.err = errTruncated
	default:
		c.fail("unexpected %q %s", c.b[c.i], where)
	}
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
		return c.open()
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
		c.close()
		return false
	case n == 0:
		return true
	case x == ',':
		c.i++
		return true
	default:
		c.unexpected("between members")
	}
	return false
}

// key reads a member's key and the colon. The result is valid until the next
// read where the key holds an escape.
func (c *cursor) key() []byte {
	k := c.text()
	if c.err == nil {
		if c.peek() != ':' {
			c.unexpected("behind a key")
			return nil
		}
		c.i++
	}
	return k
}

// end reports an error unless only white space is left.
func (c *cursor) end() {
	if c.err == nil && c.peek() != 0 || c.err == nil && c.i < len(c.b) {
		c.fail("something follows the end of the document")
	}
}

// keys are the names of the fields of one object that matter.
type keys struct {
	names   []string
	lengths uint64 // bit n is set where a name has n letters
}

func keysOf(names ...string) *keys {
	k := &keys{names: names}
	for _, name := range names {
		k.lengths |= 1 << len(name)
	}
	return k
}

// fields tells the known keys of one object apart and notices what two readers
// could understand differently.
type fields struct {
	*keys
	seen uint32
}

// index returns the position in names of a key that was just read, or -1 for one
// that is not ours. A known key that stands twice or differs in case only is an
// error, for other readers of the same bytes would see another document.
func (f *fields) index(c *cursor, key []byte) int {
	// Some letters beyond ASCII fold to ASCII ones, so they change the length.
	if f.lengths>>len(key)&1 == 0 && !c.special {
		return -1
	}
	for i, name := range f.names {
		if len(key) != len(name) && !c.special {
			continue
		}
		if string(key) == name {
			if f.seen&(1<<i) != 0 {
				c.fail("%q stands twice", name)
			}
			f.seen |= 1 << i
			return i
		}
		if bytes.EqualFold(key, []byte(name)) {
			c.fail("%q must be written %q", key, name)
		}
	}
	return -1
}
