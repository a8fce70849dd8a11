package rolemanifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Colours of Text: bold for the position, then one for each severity.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	blue   = "\x1b[34m"
)

// Text writes findings for people: one line each, then the line of the source
// with a caret under the place. Source may be nil; then there are no such lines.
func Text(w io.Writer, ds Diagnostics, source []byte, color bool) error {
	out := bufio.NewWriter(w)
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return code + s + reset
	}
	lines := splitLines(source)
	for _, d := range ds {
		tint := map[Severity]string{Error: red, Warning: yellow, Note: blue}[d.Severity]
		fmt.Fprintf(out, "%s %s %s %s\n", paint(bold, fmt.Sprintf("%s:%d:%d:", d.File, d.Line, d.Column)),
			paint(tint, string(d.Severity)+":"), printable(d.Text()), paint(faint, "("+string(d.Code)+")"))
		if d.Line < 1 || d.Line > len(lines) {
			continue
		}
		line, pad := excerpt(lines[d.Line-1], d.Column)
		fmt.Fprintf(out, "  %s\n  %s%s\n", line, pad, paint(tint, "^"))
	}
	return out.Flush()
}

// splitLines cuts a source into lines without their ends.
func splitLines(source []byte) []string {
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	if len(source) == 0 {
		return nil
	}
	lines := strings.Split(string(source), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

const (
	maxExcerpt = 160 // characters of a source line that are shown
	lead       = 60  // characters before the place where a line is cut
)

// excerpt is the part of a line around a column, and what stands under it before
// the caret. Tabs stay tabs on both lines, so that the caret meets its place.
func excerpt(line string, column int) (text, pad string) {
	runes := []rune(printable(line))
	at := min(max(column-1, 0), len(runes))
	first := 0
	if len(runes) > maxExcerpt {
		first = max(0, min(at-lead, len(runes)-maxExcerpt))
		runes = runes[first:min(len(runes), first+maxExcerpt)]
	}
	at = min(at-first, len(runes))
	for _, c := range runes[:at] {
		if c == '\t' {
			pad += "\t"
		} else {
			pad += " "
		}
	}
	return string(runes), pad
}

// printable replaces what would move a terminal's cursor.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\t' && unicode.IsControl(c) || c == utf8.RuneError {
			return '·'
		}
		return c
	}, s)
}

// JSON writes findings as an array of objects, one a line; see [Diagnostic] for
// the keys.
func JSON(w io.Writer, ds Diagnostics) error {
	out := bufio.NewWriter(w)
	out.WriteByte('[')
	for i, d := range ds {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  ")
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(d); err != nil {
			return fmt.Errorf("diagnostic of %s: %w", d.File, err)
		}
		out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	}
	if len(ds) > 0 {
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return out.Flush()
}

// GitHub writes findings as workflow commands, which GitHub shows beside the
// lines of a pull request.
func GitHub(w io.Writer, ds Diagnostics) error {
	out := bufio.NewWriter(w)
	for _, d := range ds {
		command := map[Severity]string{Error: "error", Warning: "warning", Note: "notice"}[d.Severity]
		fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
			escapeProperty(d.File), d.Line, d.Column, escapeProperty(string(d.Code)), escapeData(d.Text()))
	}
	return out.Flush()
}

// escapeData and escapeProperty follow actions/toolkit, packages/core/src/command.ts.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
