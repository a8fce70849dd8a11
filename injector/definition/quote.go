package definition

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// appendText appends s as a scalar that every reader of YAML takes for this
// text: plain where that is beyond doubt, else in double quotes.
func appendText(dst []byte, s string) []byte {
	if plain(s) {
		return append(dst, s...)
	}
	return appendQuoted(dst, s)
}

// plain says whether s can do without quotes. It is careful rather than clever:
// versions 1.1 and 1.2 of YAML and several readers must agree.
func plain(s string) bool {
	if s == "" || len(s) > 1000 || !plainStart(s) {
		return false
	}
	numeric := true
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		numeric = numeric && !letter
		switch {
		case letter, c >= '0' && c <= '9', strings.IndexByte("/_.-+=@,%()$", c) >= 0:
		case c == ' ' && i < len(s)-1:
		case c == ':' && i < len(s)-1 && s[i+1] != ' ':
		default:
			return false
		}
	}
	if numeric {
		return false // 1:30, 1_000, 2020-01-02, 0.5
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	return n.ShortTag() == "!!str" && !truthWord(s)
}

// plainStart says whether a plain scalar may begin like s.
func plainStart(s string) bool {
	c := s[0]
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '_', c == '$':
		return true
	case c == '-':
		return len(s) > 1 && s[1] != ' ' && !strings.HasPrefix(s, "---")
	case c == '.':
		return len(s) > 1 && !strings.HasPrefix(s, "...")
	}
	return false
}

// truthWord says whether YAML 1.1 takes a word for true or false.
func truthWord(s string) bool {
	if len(s) > 3 {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}

// appendQuoted appends s in double quotes. JSON strings are YAML, but for
// characters that YAML folds or forbids in a text.
func appendQuoted(dst []byte, s string) []byte {
	if strings.IndexFunc(s, special) < 0 {
		return yamldoc.AppendString(dst, s)
	}
	dst = append(dst, '"')
	for _, r := range s {
		if special(r) {
			dst = appendEscape(dst, r)
			continue
		}
		text := yamldoc.AppendString(nil, string(r))
		dst = append(dst, text[1:len(text)-1]...)
	}
	return append(dst, '"')
}

// special says whether r is a character that JSON allows in a string and YAML
// treats as a line break or does not allow (YAML 1.2, 5.1 and 5.4).
func special(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return true
	}
	return r > 0xffff && r&0xfffe == 0xfffe
}

func appendEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	digits := 4
	dst = append(dst, '\\')
	if r > 0xffff {
		digits = 8
		dst = append(dst, 'U')
	} else {
		dst = append(dst, 'u')
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hex[(r>>shift)&15])
	}
	return dst
}

// literal says whether s can be a literal block ("|"): several lines, without
// anything that indentation or a line's end could hide.
func literal(s string) bool {
	if !strings.Contains(strings.TrimSuffix(s, "\n"), "\n") && !strings.HasSuffix(s, "\n") {
		return false
	}
	if strings.HasSuffix(s, "\n\n") || s[0] == ' ' || s[0] == '\t' || s[0] == '\n' || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < 0x20 && r != '\n' && r != '\t' || special(r) {
			return false
		}
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && (line[len(line)-1] == ' ' || line[len(line)-1] == '\t') {
			return false
		}
	}
	return true
}
