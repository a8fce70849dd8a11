package yamldoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Codes of errors: what kind of thing is wrong.
const (
	CodeEncoding     = "Encoding"     // not UTF-8
	CodeSyntax       = "Syntax"       // not YAML
	CodeTab          = "Tab"          // a tab where YAML wants spaces
	CodeEmpty        = "Empty"        // no document at all
	CodeDocuments    = "Documents"    // more than one document
	CodeDuplicateKey = "DuplicateKey" // one key twice in a mapping
	CodeKey          = "Key"          // a key that is no text
	CodeNull         = "Null"         // a null where nulls are refused
	CodeTag          = "Tag"          // a tag such as !!binary
	CodeAlias        = "Alias"        // an alias of nothing, or of what contains it
	CodeMerge        = "Merge"        // a merge key whose value is no mapping
	CodeAmbiguous    = "Ambiguous"    // a word that some readers take for true or false
	CodeNumber       = "Number"       // a number that JSON does not have
	CodeDepth        = "Depth"        // nested too deeply
	CodeSize         = "Size"         // too many nodes once aliases are expanded
)

// Error is one fault of a document.
type Error struct {
	// Line and Column are 1-based and count characters; 0 where unknown.
	Line, Column int
	// Code is one of the Code constants.
	Code string
	// Path is where in the document it is, such as `spec.ports[0]`; "" at the top,
	// and where the document could not be read.
	Path string
	// Message says what is wrong, without position, path and remedy.
	Message string
	// Remedy says what to do; "" where the message says it.
	Remedy string
}

// Text is path, message and remedy, each where there is one.
func (e *Error) Text() string {
	text := e.Message
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	if e.Remedy != "" {
		text += ": " + e.Remedy
	}
	return text
}

// Error is `line:column: text`, without the position where it is unknown.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text()
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text())
}

// Errors are the faults of a document in the order of their positions.
type Errors []*Error

// Error is one fault a line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is nil where there are no faults, else es.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	return es
}

// single says whether every fault is one of a key or value that leaves the tree
// around it sound.
func (es Errors) single() bool {
	for _, e := range es {
		switch e.Code {
		case CodeNull, CodeAmbiguous, CodeTag, CodeDuplicateKey, CodeKey, CodeMerge:
		default:
			return false
		}
	}
	return true
}

func (es Errors) sort() {
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
