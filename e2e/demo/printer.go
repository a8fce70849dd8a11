package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pmezard/go-difflib/difflib"
	"golang.org/x/term"
)

// printer writes for people, in colour on a terminal.
type printer struct {
	w       io.Writer
	colour  bool
	started time.Time
	step    int
}

func newPrinter(f *os.File) *printer {
	return &printer{w: f, colour: term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "", started: time.Now()}
}

const (
	bold  = "1"
	red   = "31"
	green = "32"
	cyan  = "36"
	dim   = "2"
)

func (p *printer) paint(code, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// title begins a step.
func (p *printer) title(format string, args ...any) {
	p.step++
	fmt.Fprintf(p.w, "\n%s %s\n", p.paint(bold, fmt.Sprintf("%d. %s", p.step, fmt.Sprintf(format, args...))),
		p.paint(dim, fmt.Sprintf("(%.1f s)", time.Since(p.started).Seconds())))
}

// text prints a block, set in.
func (p *printer) text(block string) {
	for line := range strings.Lines(strings.TrimRight(block, "\n") + "\n") {
		fmt.Fprint(p.w, "   ", line)
	}
}

// diff prints what changed between two texts, with all of the unchanged lines.
func (p *printer) diff(before, after string) {
	a, b := difflib.SplitLines(before), difflib.SplitLines(after)
	for _, op := range difflib.NewMatcher(a, b).GetOpCodes() {
		if op.Tag == 'e' {
			p.lines("  ", "", a[op.I1:op.I2])
			continue
		}
		p.lines("- ", red, a[op.I1:op.I2])
		p.lines("+ ", green, b[op.J1:op.J2])
	}
}

func (p *printer) lines(mark, colour string, lines []string) {
	for _, line := range lines {
		line = mark + strings.TrimRight(line, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if colour != "" {
			line = p.paint(colour, line)
		}
		fmt.Fprintf(p.w, "   %s\n", line)
	}
}
