package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"colocate.dev/colocate/manifests"
)

// TestUpToDate compares what is committed with what would be written.
func TestUpToDate(t *testing.T) {
	folder := t.TempDir()
	stale := filepath.Join(folder, "stale.yaml")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(folder); err != nil {
		t.Fatal(err)
	}
	const committed = "../../manifests/chart/templates"
	if diff := cmp.Diff(contents(t, committed), contents(t, folder)); diff != "" {
		t.Errorf("committed -, written +; run make generate:\n%s", diff)
	}
}

func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

// TestObject writes small objects that have a field a, a list and so on in one way
// without the component "big-one" and in another with it.
func TestObject(t *testing.T) {
	for name, c := range map[string]struct{ without, with, want string }{
		"alike":         {"a: 1", "a: 1", "a: 1"},
		"more fields":   {"a: 1", "a: 1\nb: {c: []}", "a: 1\n{{- if $.Values.bigOne }}\nb:\n  c: []\n{{- end }}"},
		"fewer fields":  {"a: 1\nb: 2", "a: 1", "a: 1\n{{- if not $.Values.bigOne }}\nb: 2\n{{- end }}"},
		"other value":   {"a: x", "a: {}", "{{- if $.Values.bigOne }}\na: {}\n{{- else }}\na: x\n{{- end }}"},
		"longer list":   {"a: [1]", "a: [1, 2, 3]", "a:\n- 1\n{{- if $.Values.bigOne }}\n- 2\n- 3\n{{- end }}"},
		"shorter list":  {"a: [1, 2, 3]", "a: [1, 3]", "a:\n- 1\n{{- if not $.Values.bigOne }}\n- 2\n{{- end }}\n- 3"},
		"inside a list": {"a: [{b: 1}]", "a: [{b: 1, c: 2}]", "a:\n- b: 1\n  {{- if $.Values.bigOne }}\n  c: 2\n  {{- end }}"},
		"strings":       {`a: ["1", "yes", "a: b"]`, `a: ["1", "yes", "a: b"]`, "a:\n- \"1\"\n- \"yes\"\n- 'a: b'"},
		"braces":        {"a: 'x {{ y }}'", "a: 'x {{ y }}'", `a: x {{ "{{" }} y }}`},
		"lines":         {"a: {b: \"x\\n  y\\n\\nz\"}", "a: {b: \"x\\n  y\\n\\nz\"}", "a:\n  b: |-\n    x\n      y\n\n    z"},
		"namespace": {
			"a: colocate-system\nb: x.colocate-system.y", "a: colocate-system\nb: x.colocate-system.y",
			"a: {{ include \"colocate.namespace\" $ | quote }}\nb: x.{{ include \"colocate.namespace\" $ }}.y",
		},
		"null and bool": {"a: null\nb: true", "a: null\nb: true", "a: null\nb: true"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := write(t, c.without, c.with)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("---\n"+c.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// TestCannotWrite has what a template would need more than this program knows for.
func TestCannotWrite(t *testing.T) {
	for name, c := range map[string]struct{ without, with, want string }{
		"two lists":   {"a: [1]", "a: [2, 3]", "Thing.a: two lists of which neither has all items of the other"},
		"items":       {"a: [1]", "a: [2]", "Thing.a[]: items that differ and are no maps"},
		"first field": {"a: [{c: 1}]", "a: [{b: 1, c: 1}]", "Thing.a[]: the first field of an item cannot depend on a component"},
		"text":        {`a: "  x\ny"`, `a: "  x\ny"`, `text of several lines that begins with "|4-"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := write(t, c.without, c.with); err == nil || err.Error() != c.want {
				t.Errorf("error is %v, want %s", err, c.want)
			}
		})
	}
}

func write(t *testing.T, texts ...string) ([]string, error) {
	t.Helper()
	var choices []choice
	for set, text := range texts {
		objects, err := documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		choices = append(choices, choice{set, objects[0]})
	}
	w := &writer{components: []string{"big-one"}, used: map[string]bool{}}
	return w.object("Thing", choices, choices)
}

// TestTemplatesErr has manifests that the chart would not follow silently.
func TestTemplatesErr(t *testing.T) {
	failure := errors.New("cannot render")
	for name, c := range map[string]struct {
		render func(...string) ([]byte, error)
		want   string
	}{
		"render fails": {func(...string) ([]byte, error) { return nil, failure }, "cannot render"},
		"no name": {
			func(...string) ([]byte, error) { return []byte("kind: Thing\n"), nil },
			"components []: an object without kind or name",
		},
		"a field twice": {
			func(...string) ([]byte, error) { return []byte("kind: Thing\nkind: Thing\n"), nil },
			"components []: document 1: ",
		},
		"settings without a place": {
			func(...string) ([]byte, error) { return []byte("kind: Thing\nmetadata: {name: x}\n"), nil },
			`setting "Namespace": the manifests have no such place; change settings.go`,
		},
		"two components together": {func(names ...string) ([]byte, error) {
			return fmt.Appendf(nil, "kind: Thing\nmetadata: {name: x}\na: %v\n", len(names) == 2), nil
		}, `Thing "x": Thing.a: depends on more than one component, which this program cannot write`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := templates([]string{"one", "two"}, c.render)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error is %v, want %s", err, c.want)
			}
		})
	}
}

// TestSettingsHaveValues makes sure that every value that the templates read is in
// values.yaml.
func TestSettingsHaveValues(t *testing.T) {
	text, err := os.ReadFile("../../manifests/chart/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := documents(text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, component := range manifests.Components() {
		names = append(names, camel(component))
	}
	for _, s := range settings() {
		for _, part := range strings.Split(strings.Join(s.lines, "\n"), "$.Values.")[1:] {
			names = append(names, strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == '}' })[0])
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, found := objects[0][name]; !found {
			t.Errorf("value %q is not in values.yaml", name)
		}
	}
}
