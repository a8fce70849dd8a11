package yamldoc

import (
	"fmt"
	"math/big"
	"strings"

	"gopkg.in/yaml.v3"
)

// scalar checks a value that is a scalar.
func (x *expander) scalar(n *yaml.Node) {
	x.scalarTag(n)
	switch {
	case n.Tag == "!!null" && !x.o.AllowNull:
		x.errorf(n, CodeNull, "give it a value, or remove it", "null is no value here")
	case x.o.RefuseAmbiguous && ambiguous(n):
		x.errorf(n, CodeAmbiguous, "quote it", "%s is a truth value to some readers of YAML and text to others", n.Value)
	case x.o.RefuseAmbiguous && uncertainNumber(n):
		x.errorf(n, CodeAmbiguous, "remove the zero, or quote it", "%s begins like an octal number and is none", n.Value)
	}
}

// scalarTag checks a tag that was written out, and that its value agrees with it.
func (x *expander) scalarTag(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle == 0 {
		return
	}
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	meant := plain.ShortTag()
	ok := false
	switch n.Tag {
	case "!!str":
		return
	case "!!int", "!!bool", "!!null":
		ok = meant == n.Tag
	case "!!float":
		ok = meant == "!!float" || meant == "!!int"
	default:
		x.tagError(n)
		return
	}
	if !ok {
		x.errorf(n, CodeTag, "correct the value, or remove the tag", "%q is no value for the tag %q", n.Value, n.Tag)
	}
}

// ambiguous says whether n is a bare word that YAML 1.1 takes for a truth value
// and YAML 1.2 for text. kubectl and the API server's own tools follow 1.1.
func ambiguous(n *yaml.Node) bool {
	if n.Style != 0 || n.Tag != "!!str" || len(n.Value) > 3 {
		return false
	}
	switch strings.ToLower(n.Value) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}

// uncertainNumber says whether n is a number like 08: a leading zero, not octal.
func uncertainNumber(n *yaml.Node) bool {
	digits := strings.TrimLeft(n.Value, "+-")
	return n.Tag == "!!float" && len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}

// Number is the JSON form of a number as it is written in YAML: decimal text
// stays as it is where JSON allows it, and is converted exactly where not (0x10,
// 0o17, 0755, 1_000, +1, .5). Infinities and not-a-number are errors.
func Number(n *yaml.Node) (string, error) {
	text := strings.ReplaceAll(n.Value, "_", "")
	if validNumber(text) {
		return text, nil
	}
	if n.Tag == "!!int" {
		if i, ok := new(big.Int).SetString(text, 0); ok {
			return i.String(), nil
		}
	}
	if t := decimal(text); validNumber(t) {
		return t, nil
	}
	return "", fmt.Errorf("%s is no number that JSON has: quote it, or write a finite number", n.Value)
}

// decimal gives a decimal number the digits that JSON asks for around its point,
// and takes those away that it forbids in front.
func decimal(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign = "-"
	}
	text = strings.TrimLeft(text, "+-")
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i:]
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if !point {
		return sign + whole + exponent
	}
	if fraction == "" {
		fraction = "0"
	}
	return sign + whole + "." + fraction + exponent
}

// validNumber says whether s is a number by the grammar of JSON (RFC 8259, 6).
func validNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	n := digits(s)
	return n > 0 && n == len(s)
}

// digits counts the digits at the beginning of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
