package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// identity tells the objects of an installation apart; all that have a namespace
// are in the same one.
type identity struct{ kind, name string }

func (i identity) compare(other identity) int {
	return cmp.Or(strings.Compare(i.kind, other.kind), strings.Compare(i.name, other.name))
}

// choice is a value as one set of components has it. Bit i of set stands for the
// i-th component.
type choice struct {
	set   int
	value any
}

// variants gives every object that any set of components has, as each of those sets
// has it, in the sets' order.
func variants(components []string, render func(...string) ([]byte, error)) (map[identity][]choice, error) {
	found := map[identity][]choice{}
	for set := range 1 << len(components) {
		var names []string
		for i, name := range components {
			if set&(1<<i) != 0 {
				names = append(names, name)
			}
		}
		stream, err := render(names...)
		if err != nil {
			return nil, err
		}
		objects, err := documents(stream)
		if err != nil {
			return nil, fmt.Errorf("components %q: %w", names, err)
		}
		for _, object := range objects {
			kind, _ := object["kind"].(string)
			metadata, _ := object["metadata"].(map[string]any)
			name, _ := metadata["name"].(string)
			if kind == "" || name == "" {
				return nil, fmt.Errorf("components %q: an object without kind or name", names)
			}
			id := identity{kind, name}
			found[id] = append(found[id], choice{set, object})
		}
	}
	return found, nil
}

// documents reads a YAML stream; numbers stay as they are written in JSON.
func documents(stream []byte) ([]map[string]any, error) {
	var objects []map[string]any
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(objects)+1, err)
		}
		var object map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&object); err != nil {
			return nil, fmt.Errorf("document %d: %w", len(objects)+1, err)
		}
		objects = append(objects, object)
	}
}

// condition gives the template expression that is true for those sets of all that
// are in some. It errs where that is not a matter of one component.
func condition(components []string, some, all []choice) (string, error) {
	in := map[int]bool{}
	for _, c := range some {
		in[c.set] = true
	}
	for i, name := range components {
		with, without := true, true
		for _, c := range all {
			has := c.set&(1<<i) != 0
			with = with && in[c.set] == has
			without = without && in[c.set] != has
		}
		switch {
		case with:
			return "$.Values." + camel(name), nil
		case without:
			return "not $.Values." + camel(name), nil
		}
	}
	return "", errors.New("depends on more than one component, which this program cannot write")
}
