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
