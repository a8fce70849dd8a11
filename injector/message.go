package injector

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip makes text of a pod fit for a message: the API server's names have at
// most 253 characters, but what is not validated yet may be anything.
func clip(s []byte) string { return printable(string(s), 253) }

// printable drops control characters and invalid UTF-8 and cuts s to limit bytes.
func printable(s string, limit int) string {
	if len(s) <= limit && plain(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// plain reports whether s is ASCII without control characters, as names are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
