package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/manifests"
)

// scalar gives the text of a value that is written behind its key or dash: what
// braces it has are no template, and the namespace is the chart's. Text of several
// lines is indented to stand under a key at indent.
func scalar(value any, indent string) (string, error) {
	switch value := value.(type) {
	case nil:
		return "null", nil
	case bool, json.Number:
		return fmt.Sprint(value), nil
	case map[string]any:
		if len(value) == 0 {
			return "{}", nil
		}
	case []any:
		if len(value) == 0 {
			return "[]", nil
		}
	case string:
		return quoted(value, indent)
	}
	return "", fmt.Errorf("a %T where a scalar is wanted", value)
}

// quoted gives a string as YAML needs it quoted.
func quoted(value, indent string) (string, error) {
	if value == manifests.Namespace {
		// A namespace may be called "1" or "true".
		return `{{ include "colocate.namespace" $ | quote }}`, nil
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > 1 {
		if lines[0] != "|" && lines[0] != "|-" && lines[0] != "|+" {
			return "", fmt.Errorf("text of several lines that begins with %q", lines[0])
		}
		for i, line := range lines[1:] {
			if line != "" {
				lines[i+1] = indent + "  " + strings.TrimPrefix(line, "    ")
			}
		}
	}
	result := strings.ReplaceAll(strings.Join(lines, "\n"), "{{", `{{ "{{" }}`)
	return strings.ReplaceAll(result, manifests.Namespace, `{{ include "colocate.namespace" $ }}`), nil
}

// camel turns the name of a component into that of its value.
func camel(name string) string {
	parts := strings.Split(name, "-")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}
