package rolemanifest

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// overlay lays what a person wrote over what was generated, as strategic merge
// does: mappings are joined, lists with a merge key are joined by it, everything
// else is replaced. Neither argument is changed. Both must have passed strict.
//
// It differs from strategic merge where that would give what Kubernetes refuses:
// another handler of a probe, or another source of an environment variable, takes
// the place of the first; and ports of one number are told apart by protocol.
func (k *kubeTypes) overlay(base, over *yaml.Node, t reflect.Type) *yaml.Node {
	t = bare(t)
	if base.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return over
	}
	fields := map[string]kubeField{}
	if t.Kind() == reflect.Struct {
		fields, _ = k.fields(t)
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: over.Line, Column: over.Column}
	replaced := replacedBy(over, alternatives(t))
	for i := 0; i+1 < len(base.Content); i += 2 {
		key, value := base.Content[i], base.Content[i+1]
		ownKey, own := yamldoc.Pair(over, key.Value)
		switch {
		case own == nil && slices.Contains(replaced, key.Value):
			continue
		case own != nil:
			key, value = ownKey, k.join(value, own, fields[key.Value])
		}
		out.Content = append(out.Content, key, value)
	}
	for i := 0; i+1 < len(over.Content); i += 2 {
		if _, has := yamldoc.Pair(base, over.Content[i].Value); has == nil {
			out.Content = append(out.Content, over.Content[i], over.Content[i+1])
		}
	}
	return out
}

func (k *kubeTypes) join(base, over *yaml.Node, f kubeField) *yaml.Node {
	switch {
	case base.Kind == yaml.MappingNode && f.typ != nil:
		return k.overlay(base, over, f.typ)
	case base.Kind == yaml.SequenceNode && over.Kind == yaml.SequenceNode && f.mergeKey != "":
		return k.joinLists(base, over, f)
	}
	return over
}

// replacedBy returns the alternatives that over makes void.
func replacedBy(over *yaml.Node, names []string) []string {
	for _, name := range names {
		if yamldoc.Lookup(over, name) != nil {
			return names
		}
	}
	return nil
}

func (k *kubeTypes) joinLists(base, over *yaml.Node, f kubeField) *yaml.Node {
	items := slices.Clone(base.Content)
	byKey := make(map[string][]int, len(items))
	for i, item := range items {
		name := textOf(yamldoc.Lookup(item, f.mergeKey))
		byKey[name] = append(byKey[name], i)
	}
	for _, item := range over.Content {
		name := textOf(yamldoc.Lookup(item, f.mergeKey))
		at := slices.IndexFunc(byKey[name], func(i int) bool { return sameItem(items[i], item, f.mergeKey) })
		if at >= 0 {
			i := byKey[name][at]
			items[i] = k.overlay(items[i], item, f.typ.Elem())
			continue
		}
		byKey[name] = append(byKey[name], len(items))
		items = append(items, item)
	}
	return list(over, items...)
}

// sameItem compares two items by the merge key of their list and, where both give
// one, by protocol.
func sameItem(a, b *yaml.Node, key string) bool {
	x, y := yamldoc.Lookup(a, key), yamldoc.Lookup(b, key)
	if x == nil || y == nil || x.Value != y.Value {
		return false
	}
	p, q := yamldoc.Lookup(a, "protocol"), yamldoc.Lookup(b, "protocol")
	return key != "containerPort" || p == nil || q == nil || p.Value == q.Value
}
