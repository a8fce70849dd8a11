package workload

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector"
)

// Object is one object of a stream that is a pod or has a pod template.
type Object struct {
	// Source is the name of the stream, as the caller gave it.
	Source string
	// Document counts the documents of the source from 1; Item counts the
	// items of a List from 1 and is 0 outside of one.
	Document, Item int
	// Line is the line of the source, from 1, at which the object begins.
	Line int
	// APIVersion and Kind are the object's own, never List.
	APIVersion, Kind string
	// Namespace is "" where the object does not name one.
	Namespace string
	// Name is metadata.name, or metadata.generateName with "*" behind it.
	Name string
	// JSON is the pod, or the pod template, with aliases and merge keys expanded.
	JSON []byte
	// Claims names a StatefulSet's volumeClaimTemplates.
	Claims []string
	// Warnings are about the object itself; the decision has its own.
	Warnings []string

	// path leads from the document's root to the object, template from the
	// object to the pod.
	path, template []string
	node           *yaml.Node
}

// Pod reads the object's pod; it keeps views into o.JSON. It errs where the
// object has no readable pod.
func (o *Object) Pod(into *injector.Pod) error {
	if err := injector.ReadPod(o.JSON, into); err != nil {
		return err
	}
	into.AddClaimTemplates(o.Claims...)
	return nil
}

// mayHoldObjects is false where text cannot hold one of our kinds, so that it
// need not be parsed. A name may be hidden by an escape or an encoding.
func mayHoldObjects(text []byte) bool {
	for _, word := range kindWords() {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return bytes.Contains(text, []byte(`\x`)) || bytes.Contains(text, []byte(`\u`)) ||
		bytes.Contains(text, []byte(`\U`)) || bytes.Contains(text, []byte("binary"))
}

// objects finds the objects of a document, inside of Lists too.
func (d *document) objects() ([]*Object, error) {
	if d.root == nil {
		return nil, nil
	}
	f := &finder{document: d}
	err := f.find(d.root, []string{}, 0)
	return f.found, err
}

type finder struct {
	*document
	found []*Object
	depth int
}

func (f *finder) find(n *yaml.Node, path []string, item int) error {
	if resolved := target(n); resolved == nil || resolved.Kind != yaml.MappingNode {
		return nil
	}
	apiVersion, err := f.stringAt(n, "apiVersion")
	if err != nil {
		return err
	}
	kind, err := f.stringAt(n, "kind")
	if err != nil {
		return err
	}
	if apiVersion == "v1" && kind == "List" && f.depth < 8 {
		return f.list(n, path)
	}
	template, ok := templatePath(apiVersion, kind)
	if !ok {
		return nil
	}
	o := &Object{Line: f.lineOf(n), Item: item, APIVersion: apiVersion, Kind: kind, path: path, template: template, node: n}
	f.found = append(f.found, o)
	return f.describe(o)
}

func (f *finder) list(n *yaml.Node, path []string) error {
	items, err := f.at(n, "items")
	if err != nil || target(items) == nil || target(items).Kind != yaml.SequenceNode {
		return err
	}
	f.depth++
	defer func() { f.depth-- }()
	for i, item := range target(items).Content {
		where := append(append([]string{}, path...), "items", strconv.Itoa(i))
		if err := f.find(item, where, i+1); err != nil {
			return err
		}
	}
	return nil
}

// at follows member names, through aliases and merge keys; nil where there is
// no such member.
func (d *document) at(n *yaml.Node, names ...string) (*yaml.Node, error) {
	for _, name := range names {
		m := target(n)
		if m == nil || m.Kind != yaml.MappingNode {
			return nil, nil
		}
		pairs, err := d.pairs(m)
		if err != nil {
			return nil, err
		}
		n = nil
		for _, p := range pairs {
			if p.key == name {
				n = p.value
			}
		}
		if n == nil {
			return nil, nil
		}
	}
	return n, nil
}

// stringAt is the string at a path, "" where there is none.
func (d *document) stringAt(n *yaml.Node, names ...string) (string, error) {
	v, err := d.at(n, names...)
	if v = target(v); err != nil || v == nil || v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" {
		return "", err
	}
	return v.Value, nil
}

// describe fills in what the object says about itself, and its pod.
func (f *finder) describe(o *Object) error {
	var err error
	if o.Namespace, err = f.stringAt(o.node, "metadata", "namespace"); err != nil {
		return err
	}
	if o.Name, err = f.stringAt(o.node, "metadata", "name"); err != nil {
		return err
	}
	if o.Name == "" {
		prefix, err := f.stringAt(o.node, "metadata", "generateName")
		if err != nil {
			return err
		}
		if prefix != "" {
			o.Name = prefix + "*"
		}
	}
	pod, err := f.at(o.node, o.template...)
	if err != nil {
		return err
	}
	o.JSON = []byte("null")
	if pod != nil {
		if o.JSON, err = f.json(pod); err != nil {
			return err
		}
	}
	if err := f.misplaced(o); err != nil || o.Kind != "StatefulSet" {
		return err
	}
	return f.claims(o)
}

// misplaced warns where the role stands on the workload and not on its pods.
func (f *finder) misplaced(o *Object) error {
	if len(o.template) == 0 {
		return nil
	}
	own, err := f.at(o.node, "metadata", "annotations", injector.RoleAnnotation)
	if err != nil || own == nil {
		return err
	}
	where := append(append([]string{}, o.template...), "metadata", "annotations", injector.RoleAnnotation)
	onPods, err := f.at(o.node, where...)
	if err == nil && onPods == nil {
		o.Warnings = append(o.Warnings, "annotation "+strconv.Quote(injector.RoleAnnotation)+" stands on the "+o.Kind+
			" itself, where it has no effect; move it to "+strings.Join(o.template, ".")+".metadata.annotations")
	}
	return err
}

func (f *finder) claims(o *Object) error {
	n, err := f.at(o.node, "spec", "volumeClaimTemplates")
	if err != nil || n == nil {
		return err
	}
	raw, err := f.json(n)
	if err != nil {
		return err
	}
	var claims []struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &claims); err != nil {
		return f.errorAt(target(n), "volumeClaimTemplates of StatefulSet %q cannot be read: it takes a list of objects with metadata.name", o.Name)
	}
	for _, c := range claims {
		if c.Metadata.Name != "" {
			o.Claims = append(o.Claims, c.Metadata.Name)
		}
	}
	return nil
}
