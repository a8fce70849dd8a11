package workload

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"
)

// editor applies additions to the nodes of one document. Nodes that it makes
// have no line; rendering turns each of them into an insertion.
type editor struct {
	*document
	spans map[*yaml.Node]span
	// users are the aliases of each anchored node, with their parents.
	users map[*yaml.Node][]slot
	// replaced maps a new node to the one in whose place it stands.
	replaced map[*yaml.Node]*yaml.Node
	// removed are list items that are left out.
	removed map[*yaml.Node]bool
	// template is the first pod template that was edited; its style is followed.
	template *yaml.Node
}

// slot is an alias and the collection that it stands in.
type slot struct{ parent, alias *yaml.Node }

// change is what happens to one object: additions below a path, or removal.
type change struct {
	path   []string // from the root to the object
	pod    []string // from the object to the pod
	ops    []operation
	remove bool
}

// edit applies changes and returns the new text, which has been checked: its
// meaning is exactly that of the original with the operations applied.
func (d *document) edit(changes []change) ([]byte, error) {
	spans, err := d.measure()
	if err != nil {
		return nil, err
	}
	e := &editor{
		document: d, spans: spans, users: map[*yaml.Node][]slot{},
		replaced: map[*yaml.Node]*yaml.Node{}, removed: map[*yaml.Node]bool{},
	}
	// The yardstick is made first: the editor changes the nodes.
	want, err := d.expected(changes)
	if err != nil {
		return nil, err
	}
	e.findUsers(d.root)
	if err := e.applyAll(changes); err != nil {
		return nil, err
	}
	text, err := e.render()
	if err != nil {
		return nil, err
	}
	return text, d.check(text, want)
}

func (e *editor) applyAll(changes []change) error {
	// Items to remove are looked up while indexes still are the original ones.
	for _, c := range changes {
		if c.remove {
			if err := e.remove(c.path); err != nil {
				return err
			}
		}
	}
	for _, c := range changes {
		base := append(append([]string{}, c.path...), c.pod...)
		for _, op := range c.ops {
			if err := e.add(append(append([]string{}, base...), tokens(op.Path)...), op.Value); err != nil {
				return fmt.Errorf("%s: %w", op.Path, err)
			}
		}
		if n, err := e.document.at(e.root, base...); err == nil && e.template == nil {
			e.template = n
		}
	}
	return nil
}

// remove marks the list item at path as left out.
func (e *editor) remove(path []string) error {
	list, err := e.descend(path[:len(path)-1])
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(path[len(path)-1])
	if err != nil || list.Kind != yaml.SequenceNode || i >= len(list.Content) || list.Line == 0 {
		return errors.New("a refused item can be left out only of a list that is written out, not of an alias")
	}
	item := list.Content[i]
	e.removed[item] = true
	return e.detachAll(item)
}

// add applies one operation.
func (e *editor) add(path []string, raw json.RawMessage) error {
	value, err := nodeOf(raw)
	if err != nil {
		return err
	}
	if len(path) == 0 {
		return errors.New("the whole document cannot be replaced")
	}
	parent, err := e.descend(path[:len(path)-1])
	if err != nil {
		return err
	}
	last := path[len(path)-1]
	switch parent.Kind {
	case yaml.SequenceNode:
		i, err := position(last, len(parent.Content))
		if err != nil {
			return err
		}
		parent.Content = append(parent.Content, nil)
		copy(parent.Content[i+1:], parent.Content[i:])
		parent.Content[i] = value
		return nil
	case yaml.MappingNode:
		if i := ownEntry(parent, last); i >= 0 {
			if err := e.detachAll(parent.Content[i]); err != nil {
				return err
			}
			e.replace(parent, parent.Content[i], value)
			return nil
		}
		parent.Content = append(parent.Content, textNode(last), value)
		return nil
	}
	return fmt.Errorf("nothing can be added at %q", last)
}

// ownEntry is the index of a key's value in a mapping, -1 where it is absent or
// only merged.
func ownEntry(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if k := target(m.Content[i]); !isMerge(k) && k.Value == key {
			return i + 1
		}
	}
	return -1
}

// descend follows a path and makes sure that what is found may be changed
// without changing anything elsewhere: an alias is expanded, and aliases of an
// anchor on the way get a copy of their own.
func (e *editor) descend(path []string) (*yaml.Node, error) {
	n := e.root
	if err := e.detach(n); err != nil {
		return nil, err
	}
	for _, token := range path {
		child, err := e.child(n, token)
		if err != nil {
			return nil, err
		}
		if err := e.detach(child); err != nil {
			return nil, err
		}
		n = child
	}
	return n, nil
}

func (e *editor) child(n *yaml.Node, token string) (*yaml.Node, error) {
	index := -1
	switch n.Kind {
	case yaml.SequenceNode:
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(n.Content) {
			return nil, fmt.Errorf("%q is not an element of a list of %d", token, len(n.Content))
		}
		index = i
	case yaml.MappingNode:
		index = ownEntry(n, token)
	}
	if index >= 0 && n.Content[index].Kind != yaml.AliasNode {
		return n.Content[index], nil
	}
	if index >= 0 {
		expanded, err := e.expand(n.Content[index])
		if err == nil {
			e.replace(n, n.Content[index], expanded)
		}
		return expanded, err
	}
	merged, err := e.at(n, token)
	if err != nil {
		return nil, err
	}
	if merged == nil {
		return nil, fmt.Errorf("member %q does not exist", token)
	}
	// The value comes through a merge key: an entry of its own overrides it here only.
	expanded, err := e.expand(merged)
	if err == nil {
		n.Content = append(n.Content, textNode(token), expanded)
	}
	return expanded, err
}

// expand is a copy of a node without aliases and merge keys.
func (e *editor) expand(n *yaml.Node) (*yaml.Node, error) {
	raw, err := e.json(n)
	if err != nil {
		return nil, err
	}
	return nodeOf(raw)
}

// replace puts a new node in the place of an old one.
func (e *editor) replace(parent, old, value *yaml.Node) {
	for i, n := range parent.Content {
		if n == old {
			parent.Content[i] = value
			if before, ok := e.replaced[old]; ok {
				old = before
			}
			if old.Line > 0 {
				e.replaced[value] = old
			}
			return
		}
	}
}

// detach gives all aliases of n a copy of its original value.
func (e *editor) detach(n *yaml.Node) error {
	slots := e.users[n]
	delete(e.users, n)
	for _, s := range slots {
		copied, err := e.expand(s.alias)
		if err != nil {
			return err
		}
		e.replace(s.parent, s.alias, copied)
	}
	return nil
}

// detachAll does so for everything in n, which goes away.
func (e *editor) detachAll(n *yaml.Node) error {
	if err := e.detach(n); err != nil {
		return err
	}
	for _, child := range n.Content {
		if err := e.detachAll(child); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) findUsers(n *yaml.Node) {
	for _, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			e.users[child.Alias] = append(e.users[child.Alias], slot{n, child})
		}
		e.findUsers(child)
	}
}
