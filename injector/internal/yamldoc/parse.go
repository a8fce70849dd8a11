package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

const (
	// DefaultMaxNodes bounds a document, aliases expanded.
	DefaultMaxNodes = 1_000_000
	// DefaultMaxBytes bounds the text of a document's scalars, aliases expanded.
	DefaultMaxBytes = 64 << 20
	// DefaultMaxDepth bounds the nesting of a document, aliases expanded.
	DefaultMaxDepth = 200
	// maxErrors bounds the faults that are listed for one document.
	maxErrors = 100
)

// Options say what a document may contain. The zero value is strict about nulls
// and lenient about keys and words.
type Options struct {
	// AllowNull lets null values pass; keys are never null.
	AllowNull bool
	// StringKeys refuses mapping keys that are numbers or truth values; otherwise
	// such a key counts by its text.
	StringKeys bool
	// RefuseAmbiguous refuses bare y, n, yes, no, on, off and numbers such as 08,
	// which readers of YAML take for different things.
	RefuseAmbiguous bool
	// KeepGoing has [Parse] return the tree beside faults of single keys and values:
	// nulls, ambiguous words, tags, keys that are none or stand there again (their
	// pairs are left out), merge keys without a mapping. So a caller can look for
	// further faults in it; it must not use it for anything else.
	KeepGoing bool
	// MaxNodes bounds the nodes of one document, each alias counted as what it
	// stands for; 0 means DefaultMaxNodes.
	MaxNodes int
	// MaxBytes bounds the text of all scalars, each alias counted likewise; 0 means
	// DefaultMaxBytes.
	MaxBytes int
	// MaxDepth bounds the nesting; 0 means DefaultMaxDepth.
	MaxDepth int
}

// Parse reads exactly one document and returns its value (not the document node),
// or nil and all faults that were found.
//
// In the tree there are only mappings, sequences and scalars: an alias is
// replaced by the node that it stands for, which therefore may occur several
// times (treat the tree as read-only), and merge keys are expanded. Every node keeps the
// line and column where it was written. Documents without any content, such as
// what follows a closing "---", do not count.
func Parse(data []byte, o Options) (*yaml.Node, Errors) {
	docs, errs := ParseAll(data, o)
	if len(errs) > 0 {
		if len(docs) == 1 && errs.single() {
			return docs[0], errs
		}
		return nil, errs
	}
	switch len(docs) {
	case 0:
		return nil, Errors{{Line: 1, Column: 1, Code: CodeEmpty, Message: "there is no document", Remedy: "write one, or remove the file"}}
	case 1:
		return docs[0], nil
	}
	second := docs[1]
	return nil, Errors{{
		Line: second.Line, Column: second.Column, Code: CodeDocuments,
		Message: "a second document begins here", Remedy: "keep exactly one",
	}}
}

// ParseAll reads a stream of documents, in order, without those that have no
// content. The trees are like those of [Parse]. Documents before one with a
// syntax error are returned beside the error; a document with other faults is
// left out.
func ParseAll(data []byte, o Options) ([]*yaml.Node, Errors) {
	if err := checkEncoding(data); err != nil {
		return nil, Errors{err}
	}
	raw, syntax := decode(bytes.NewReader(data))
	var docs []*yaml.Node
	var errs Errors
	for _, doc := range raw {
		root, faults := expandDocument(doc, o)
		errs = append(errs, faults...)
		if root != nil && (len(faults) == 0 || o.KeepGoing && faults.single()) {
			docs = append(docs, root)
		}
	}
	if syntax != nil {
		errs = append(errs, locate(data, syntax))
	}
	errs.sort()
	return docs, errs
}

// decode reads documents until the end or the first syntax error. The YAML
// library panics on some malformed input; that is an error like any other.
func decode(r io.Reader) (docs []*yaml.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the text is not YAML (%v)", v)
		}
	}()
	d := yaml.NewDecoder(r)
	for {
		var doc yaml.Node
		if err := d.Decode(&doc); err != nil {
			if errors.Is(err, io.EOF) {
				return docs, nil
			}
			return docs, err
		}
		docs = append(docs, &doc)
	}
}
