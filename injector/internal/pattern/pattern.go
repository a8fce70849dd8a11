// Package pattern makes regular expressions that are compiled when they are first
// needed. The webhook needs hardly any of those that read manifests, and all of
// them together would cost it milliseconds at its start and some hundred
// kilobytes for ever.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression once. An expression that is
// broken is a fault of the program: the first call panics.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
