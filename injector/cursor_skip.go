package injector

import (
	"encoding/binary"
	"math/bits"
)

// This file steps over what does not matter, which is most of a review; it is
// where the time of reading goes. Everything is checked nevertheless: a document
// that encoding/json refuses must not be half understood here. Positions are
// handed on as values and written to the cursor at the end only, which keeps
// them in registers and halves the time.

const (
	escapes = 1 << iota // the string holds a backslash
	wide                // the string holds bytes above 0x7f

	lows   = 0x0101010101010101
	highs  = 0x80 * lows
	flips  = 0x02 * lows
	bounds = 0x21 * lows
	slants = '\\' * lows
)

// passString steps over the string literal at a position, eight bytes at a time
// where nothing special is among them, and returns where it ends and what it
// saw; ^end is where it is broken if end is negative.
func passString(b []byte, at int) (end, found int) {
	i := at + 1
	for {
		for i >= 0 && i <= len(b)-8 {
			if m := marks(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if uint(i) >= uint(len(b)) {
			return ^i, found
		}
		switch x := b[i]; {
		case x == '"':
			return i + 1, found
		case x == '\\':
			found |= escapes
			n := escapeLen(b, i)
			if n == 0 {
				return ^i, found
			}
			i += n
		case x < ' ':
			return ^i, found
		case x < 0x80: // only where less than a word is left
			i++
		default:
			found |= wide
			for i++; uint(i) < uint(len(b)) && b[i] >= 0x80; i++ {
			}
		}
	}
}

// marks sets the high bit of the first byte of a word at which passString must
// look: a quote, a backslash, a control character or one above 0x7f. A borrow may
// also mark bytes above the first one. Flipping 2 makes 0x20 of a quote, so that
// one subtraction finds it together with the control characters.
func marks(w uint64) uint64 {
	return ((w ^ flips - bounds) | (w ^ slants - lows) | w) & highs
}

// escaped is what may follow a backslash, but for u.
var escaped = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escapeLen is the length of the escape at a position, 0 where it is none.
func escapeLen(b []byte, i int) int {
	if i++; uint(i) < uint(len(b)) && escaped[b[i]] {
		return 2
	}
	return longEscape(b, i)
}

func longEscape(b []byte, i int) int {
	if i+5 > len(b) || b[i] != 'u' {
		return 0
	}
	for _, x := range b[i+1 : i+5] {
		if (x < '0' || x > '9') && (x|0x20 < 'a' || x|0x20 > 'f') {
			return 0
		}
	}
	return 6
}

// brokenString reports what is wrong with a string at a position. Like every
// function here that returns a position, it returns -1 with an error.
func (c *cursor) brokenString(at int) int {
	c.i = at
	switch {
	case at >= len(c.b):
		c.err = errTruncated
	case c.b[at] == '\\':
		c.fail("invalid escape in a string")
	default:
		c.fail("control character %#02x in a string", c.b[at])
	}
	return -1
}

// skip steps over one value of any kind and checks it.
func (c *cursor) skip() {
	if c.err != nil {
		return
	}
	if end := c.pass(solid(c.b, c.i)); end >= 0 {
		c.i = end
	}
}

// solid is the position of the first byte from i on that is not white space.
func solid(b []byte, i int) int {
	if uint(i) < uint(len(b)) && b[i] > ' ' {
		return i
	}
	return solidFar(b, i)
}

func solidFar(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// is reports whether byte x stands at i.
func is(b []byte, i int, x byte) bool { return uint(i) < uint(len(b)) && b[i] == x }

// pass is skip for the value that starts at a position; it returns where that
// ends. It is one loop rather than functions that call each other, since calls
// took a fifth of the time.
//
//nolint:gocognit // in one piece for the reason above
func (c *cursor) pass(i int) int {
	b, bottom, depth := c.b, c.depth, c.depth
	var closing byte // that of the bracket that was opened last in this value
	for {
		if closing == '}' {
			if !is(b, i, '"') {
				return c.bad(i, "where a key must stand")
			}
			if i, _ = passString(b, i); i < 0 {
				return c.brokenString(^i)
			}
			if !is(b, i, ':') {
				if i = solidFar(b, i); !is(b, i, ':') {
					return c.bad(i, "behind a key")
				}
			}
			i = solid(b, i+1)
		}
		switch x := byteAt(b, i); x {
		case '"':
			if i, _ = passString(b, i); i < 0 {
				return c.brokenString(^i)
			}
		case '{', '[':
			if depth == maxDepth {
				c.i = i
				return c.tooDeep()
			}
			if is(b, i+1, x+2) { // empty
				i += 2
				goto ended
			}
			closing = x + 2 // in ASCII, for braces as well as for brackets
			c.closings[depth] = closing
			depth++
			if i = solid(b, i+1); !is(b, i, closing) {
				continue
			}
		default:
			if i = c.passPlain(i); i < 0 {
				return -1
			}
		}
	ended: // a value has, or an empty one is about to
		if depth == bottom {
			return i
		}
		switch byteAt(b, i) {
		case ',':
			i = solid(b, i+1)
		case closing:
			i++
			if depth--; depth > bottom {
				closing = c.closings[depth-1]
			}
			goto ended
		default:
			at := i
			if i = solidFar(b, i); i == at {
				return c.bad(i, "between members")
			}
			goto ended
		}
	}
}

// byteAt is the byte at i, 0 where there is none.
func byteAt(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

// passPlain is pass for numbers, true, false and null.
func (c *cursor) passPlain(i int) int {
	switch c.i = i; {
	case is(c.b, i, 't'):
		c.literal("true")
	case is(c.b, i, 'f'):
		c.literal("false")
	case is(c.b, i, 'n'):
		c.literal("null")
	default:
		c.number()
	}
	if c.err != nil {
		return -1
	}
	return c.i
}

// bad reports an unexpected byte.
func (c *cursor) bad(i int, where string) int {
	c.i = i
	c.unexpected(where)
	return -1
}
