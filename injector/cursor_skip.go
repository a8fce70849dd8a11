package injector

import (
	"encoding/binary"
	"math/bits"
)

// This file steps over what does not matter, which is most of a review; it is
// where the time of reading goes. Everything is checked nevertheless: a document
// that encoding/json refuses must not be half understood here.

const (
	escapes = 1 << iota // the string holds a backslash
	wide                // the string may hold bytes above 0x7f

	lows   = 0x0101010101010101
	highs  = 0x80 * lows
	spaces = ' ' * lows
	quotes = '"' * lows
	slants = '\\' * lows
)

// passString steps over a string literal, eight bytes at a time where nothing
// special is among them, and reports what it saw. For a word w, (w^x)-lows &^ (w^x) has a high bit set
// for the first byte equal to x, and (w-spaces) &^ w for the first control
// character; later bytes may be marked wrongly, so the marked word is then
// looked at byte by byte.
func (c *cursor) passString() (found int) {
	b, i := c.b, c.i+1
	var seen uint64 // all words; its high bits tell whether the string is wide
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			seen |= w
			q, s := w^quotes, w^slants
			if m := ((q-lows)&^q | (s-lows)&^s | (w-spaces)&^w) & highs; m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
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
			if seen&highs != 0 {
				found |= wide
			}
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
		default: // only where less than a word is left
			seen |= uint64(x)
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
		c.skipObject()
	case '[':
		c.skipList()
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

func (c *cursor) skipObject() {
	if !c.open() {
		return
	}
	if c.peek() == '}' {
		c.close()
		return
	}
	for {
		if c.peek() != '"' {
			c.unexpected("where a key must stand")
			return
		}
		if c.passString(); c.err != nil {
			return
		}
		if c.peek() != ':' {
			c.unexpected("behind a key")
			return
		}
		c.i++
		if c.skip(); c.err != nil {
			return
		}
		switch c.peek() {
		case ',':
			c.i++
		case '}':
			c.close()
			return
		default:
			c.unexpected("between members")
			return
		}
	}
}

func (c *cursor) skipList() {
	if !c.open() {
		return
	}
	if c.peek() == ']' {
		c.close()
		return
	}
	for {
		if c.skip(); c.err != nil {
			return
		}
		switch c.peek() {
		case ',':
			c.i++
		case ']':
			c.close()
			return
		default:
			c.unexpected("between members")
			return
		}
	}
}
