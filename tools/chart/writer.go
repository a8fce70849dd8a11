package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// writer turns choices into lines of a template.
type writer struct {
	components []string
	settings   []setting
	used       map[string]bool // by the path of a setting
}

// object gives the lines of a document, from its "---" on.
func (w *writer) object(kind string, choices, all []choice) ([]string, error) {
	lines, err := w.mapping(kind, "", choices)
	if err != nil {
		return nil, err
	}
	if lines, err = w.under(append([]string{"---"}, lines...), "", choices, all); err != nil {
		return nil, err
	}
	return w.apply(kind, "", lines), nil
}

// under puts lines under the condition that holds for those of all that are in
// some; where that is all of them, under none.
func (w *writer) under(lines []string, indent string, some, all []choice) ([]string, error) {
	if len(some) == len(all) {
		return lines, nil
	}
	expression, err := condition(w.components, some, all)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]string{indent + "{{- if " + expression + " }}"}, lines, []string{indent + "{{- end }}"}), nil
}

// mapping gives the lines of the fields of maps, in alphabetical order.
func (w *writer) mapping(path, indent string, choices []choice) ([]string, error) {
	keys := map[string]bool{}
	for _, c := range choices {
		for key := range c.value.(map[string]any) {
			keys[key] = true
		}
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var with []choice
		for _, c := range choices {
			if value, found := c.value.(map[string]any)[key]; found {
				with = append(with, choice{c.set, value})
			}
		}
		field, err := w.field(path+"."+key, key, indent, with)
		if err != nil {
			return nil, err
		}
		field = w.apply(path+"."+key, indent, field)
		if field, err = w.under(field, indent, with, choices); err != nil {
			return nil, fmt.Errorf("%s: %w", path+"."+key, err)
		}
		lines = append(lines, field...)
	}
	return lines, nil
}

// field gives the lines of a key with its value.
func (w *writer) field(path, key, indent string, choices []choice) ([]string, error) {
	name, err := scalar(key, indent)
	if err != nil {
		return nil, err
	}
	switch {
	case every[map[string]any](choices):
		lines, err := w.mapping(path, indent+"  ", choices)
		return append([]string{indent + name + ":"}, lines...), err
	case every[[]any](choices):
		lines, err := w.list(path, indent, choices)
		return append([]string{indent + name + ":"}, lines...), err
	}
	groups := distinct(choices)
	first, err := scalar(groups[0][0].value, indent)
	if err != nil || len(groups) == 1 {
		return []string{indent + name + ": " + first}, err
	}
	if len(groups) > 2 {
		return nil, fmt.Errorf("%s: has %d values, which this program cannot write", path, len(groups))
	}
	second, err := scalar(groups[1][0].value, indent)
	if err != nil {
		return nil, err
	}
	expression, err := condition(w.components, groups[1], choices)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []string{
		indent + "{{- if " + expression + " }}", indent + name + ": " + second,
		indent + "{{- else }}", indent + name + ": " + first, indent + "{{- end }}",
	}, nil
}

// list gives the lines of lists. Lists of one length are written item by item;
// otherwise the longest must have all items of the others, in their order.
func (w *writer) list(path, indent string, choices []choice) ([]string, error) {
	longest, uneven := choices[0].value.([]any), false
	for _, c := range choices[1:] {
		length := len(c.value.([]any))
		uneven = uneven || length != len(longest)
		if length > len(longest) {
			longest = c.value.([]any)
		}
	}
	position := map[int]int{} // of the next item, by set
	opened := ""              // the first line of what was written last
	var lines []string
	for i, item := range longest {
		var with []choice
		for _, c := range choices {
			items, next := c.value.([]any), position[c.set]
			if !uneven {
				with = append(with, choice{c.set, items[i]})
			} else if next < len(items) && reflect.DeepEqual(items[next], item) {
				with = append(with, choice{c.set, item})
			} else {
				continue
			}
			position[c.set]++
		}
		item, err := w.item(path+"[]", indent, with)
		if err != nil {
			return nil, err
		}
		if item, err = w.under(item, indent, with, choices); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", path, i, err)
		}
		if opened == item[0] && strings.HasPrefix(item[0], indent+"{{- if ") {
			lines, item = lines[:len(lines)-1], item[1:] // one condition for neighbours
		} else {
			opened = item[0]
		}
		lines = append(lines, item...)
	}
	for _, c := range choices {
		if position[c.set] != len(c.value.([]any)) {
			return nil, fmt.Errorf("%s: two lists of which neither has all items of the other", path)
		}
	}
	return lines, nil
}

// item gives the lines of an item of a list, which begin with a dash.
func (w *writer) item(path, indent string, choices []choice) ([]string, error) {
	if every[map[string]any](choices) {
		lines, err := w.mapping(path, indent+"  ", choices)
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 || strings.Contains(lines[0], "{{-") {
			return nil, fmt.Errorf("%s: the first field of an item cannot depend on a component", path)
		}
		lines[0] = indent + "- " + strings.TrimPrefix(lines[0], indent+"  ")
		return lines, nil
	}
	if len(distinct(choices)) > 1 {
		return nil, fmt.Errorf("%s: items that differ and are no maps", path)
	}
	text, err := scalar(choices[0].value, indent)
	return []string{indent + "- " + text}, err
}

// every tells whether all choices are of a type and not empty: an empty map or list
// is written as a scalar.
func every[T map[string]any | []any](choices []choice) bool {
	return !slices.ContainsFunc(choices, func(c choice) bool {
		value, ok := c.value.(T)
		return !ok || len(value) == 0
	})
}

// distinct groups choices by value, in the order of their first sets.
func distinct(choices []choice) [][]choice {
	index := map[string]int{}
	var groups [][]choice
	for _, c := range choices {
		text, err := json.Marshal(c.value)
		if err != nil {
			text = fmt.Append(nil, err) // what came from JSON can be written as JSON
		}
		at, found := index[string(text)]
		if !found {
			at, index[string(text)] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], c)
	}
	return groups
}
