package yamldoc

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// extent is how large a node is once its aliases are expanded.
type extent struct {
	nodes  int
	bytes  int // of the scalars' text
	height int
}

// expander rewrites one document in place. Aliases come after their anchors, so
// what an alias stands for is expanded already when the alias is met, and is
// shared instead of copied: an alias bomb costs additions, not memory.
type expander struct {
	o        Options
	path     []string
	open     map[*yaml.Node]bool
	anchored map[*yaml.Node]extent
	tooLarge bool
	errs     Errors
}

// expandDocument returns the value of a document node, nil where it has no content.
func expandDocument(doc *yaml.Node, o Options) (*yaml.Node, Errors) {
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 || isNothing(doc.Content[0]) {
		return nil, nil
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = DefaultMaxNodes
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	x := &expander{o: o}
	root, _ := x.expand(doc.Content[0], 1)
	x.errs.sort()
	return root, x.errs
}

// isNothing says whether a node was made up by the parser where there is no text.
func isNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Value == "" && n.Anchor == "" && n.Style == 0
}

// expand checks n, expands what is in it, and returns what stands in its place.
func (x *expander) expand(n *yaml.Node, depth int) (*yaml.Node, extent) {
	if x.tooLarge {
		return n, extent{}
	}
	if n.Kind == yaml.AliasNode {
		return x.alias(n, depth)
	}
	if depth > x.o.MaxDepth {
		x.depthError(n)
		return n, extent{}
	}
	size := extent{nodes: 1, bytes: len(n.Value), height: 1}
	if n.Anchor != "" {
		if x.open == nil {
			x.open = map[*yaml.Node]bool{}
			x.anchored = map[*yaml.Node]extent{}
		}
		x.open[n] = true
	}
	switch n.Kind {
	case yaml.MappingNode:
		x.mapping(n, depth, &size)
	case yaml.SequenceNode:
		x.sequence(n, depth, &size)
	default:
		x.scalar(n)
	}
	if n.Anchor != "" {
		delete(x.open, n)
		x.anchored[n] = size
	}
	return n, size
}

func (x *expander) alias(n *yaml.Node, depth int) (*yaml.Node, extent) {
	target := n.Alias
	size, known := x.anchored[target]
	switch {
	case x.open[target]:
		x.errorf(n, CodeAlias, "write the value out", "alias %q stands inside what it stands for", n.Value)
	case !known:
		// The YAML library knows the anchors of earlier documents of the stream too.
		x.errorf(n, CodeAlias, "anchors count within their document only", "alias %q has no anchor", n.Value)
	case depth+size.height-1 > x.o.MaxDepth:
		x.depthError(n)
	default:
		return target, size
	}
	return n, extent{}
}

func (x *expander) sequence(n *yaml.Node, depth int, size *extent) {
	x.collectionTag(n, "!!seq")
	for i, item := range n.Content {
		x.path = append(x.path, "["+strconv.Itoa(i)+"]")
		value, s := x.expand(item, depth+1)
		x.path = x.path[:len(x.path)-1]
		n.Content[i] = value
		x.add(size, s, item)
	}
}

// add counts the extent of a child into that of its parent.
func (x *expander) add(size *extent, child extent, at *yaml.Node) {
	size.nodes += child.nodes
	size.bytes += child.bytes
	size.height = max(size.height, child.height+1)
	if x.tooLarge {
		return
	}
	what, limit := "values", x.o.MaxNodes
	if size.bytes > x.o.MaxBytes {
		what, limit = "bytes of text", x.o.MaxBytes
	}
	if size.nodes > x.o.MaxNodes || size.bytes > x.o.MaxBytes {
		x.errorf(at, CodeSize, "write less, or use fewer aliases",
			"the document has more than %d %s once its aliases are expanded", limit, what)
		x.tooLarge = true
	}
}

func (x *expander) collectionTag(n *yaml.Node, want string) {
	if n.Tag != want && n.Tag != "" {
		x.tagError(n)
	}
}

func (x *expander) tagError(n *yaml.Node) {
	x.errorf(n, CodeTag, "remove the tag", "the tag %q is not known here", n.Tag)
}

func (x *expander) depthError(n *yaml.Node) {
	x.errorf(n, CodeDepth, "write it flatter", "values are nested more than %d levels deep", x.o.MaxDepth)
}

func (x *expander) errorf(n *yaml.Node, code, remedy, format string, args ...any) {
	if len(x.errs) >= maxErrors {
		return
	}
	x.errs = append(x.errs, &Error{Line: n.Line, Column: n.Column, Code: code, Path: x.at(code), Message: fmt.Sprintf(format, args...), Remedy: remedy})
}

// at is the path of the current node. Bounds are passed by the document, not by
// the node at which that is found.
func (x *expander) at(code string) string {
	if code == CodeSize || code == CodeDepth {
		return ""
	}
	return joinPath(x.path)
}

// joinPath writes segments as `a.b[0]`.
func joinPath(segments []string) string {
	var b strings.Builder
	for i, s := range segments {
		if i > 0 && !strings.HasPrefix(s, "[") {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	return b.String()
}
