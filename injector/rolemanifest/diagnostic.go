package rolemanifest

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says what a diagnostic means for the outcome.
type Severity string

const (
	// Error is what would make a broken or a stateful pod; nothing is built.
	Error Severity = "error"
	// Warning is what looks like a slip; strict callers treat it as an error.
	Warning Severity = "warning"
	// Note is what is good to know and never a fault.
	Note Severity = "note"
)

// Diagnostic is one finding about a manifest.
type Diagnostic struct {
	// File is the name that the caller gave.
	File string `json:"file"`
	// Line and Column are 1-based, count characters, and are inside the file.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Path is where the finding is in the document: `roles[1].run.memory`, "" for the whole.
	Path     string   `json:"path"`
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	// Message says what is wrong, without position and remedy.
	Message string `json:"message"`
	// Remedy says what to do; never empty for errors and warnings.
	Remedy string `json:"remedy,omitempty"`
}

// String is one line: `file:line:column: severity: message: remedy (code)`.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s (%s)", d.File, d.Line, d.Column, d.Severity, d.Text(), d.Code)
}

// Text is the message and, where there is one, the remedy.
func (d Diagnostic) Text() string {
	if d.Remedy == "" {
		return d.Message
	}
	return d.Message + ": " + d.Remedy
}

// Diagnostics are findings in the order of their positions, none twice.
type Diagnostics []Diagnostic

// Count returns how many findings have a severity.
func (ds Diagnostics) Count(s Severity) int {
	n := 0
	for _, d := range ds {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Failed says whether nothing may be built: there is an error or, where strict,
// a warning.
func (ds Diagnostics) Failed(strict bool) bool {
	return ds.Count(Error) > 0 || strict && ds.Count(Warning) > 0
}

// sorted puts findings in order.
func sorted(ds Diagnostics) Diagnostics {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.Path, b.Path))
	})
	return ds
}

func rank(s Severity) int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}
