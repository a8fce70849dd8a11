package injector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

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

// passText steps over a string value or null.
func (c *cursor) passText(what string) {
	if x := c.peek(); x != '"' && x != 'n' {
		c.fail("%s is not a string", what)
		return
	}
	c.skip()
}

// text reads a string literal.
func (c *cursor) text() []byte {
	if c.peek() != '"' {
		c.unexpected("where a string must stand")
		return nil
	}
	at := c.i
	end, plain := passString(c.b, at)
	if end < 0 {
		c.brokenString(^end)
		return nil
	}
	c.i, c.special = end, plain != 0
	raw := c.b[at:end]
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
