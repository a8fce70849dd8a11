package workload

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestMeaning compares what YAML is taken for with what kubectl takes it for.
func TestMeaning(t *testing.T) {
	for _, text := range []string{
		"a: yes", "a: Off", "a: y", "a: \"yes\"", "a: !!str yes", "a: 0755", "a: 0o17", "a: 0x1F", "a: 1_000", "a: +1", "a: 1.50", "a: .5",
		"a: 1e3", "a: ~", "a:", "a: null", "a: 2001-01-01", "a: 1:30", "a: =", "a: 'it''s'", "a: \"\\u00e9\\t\"", "a: !!binary aGVsbG8=",
		"a: |\n  x\n  y\n", "a: >-\n  x\n  y\n", "80: x", "a: &x {b: 1}\nc: *x", "a: &x {b: 1, d: 2}\nc: {<<: *x, e: 3}",
		"a: &x {b: 1}\nc: &y {b: 2, f: 3}\nd: {<<: [*x, *y]}", "[a, [b, {c: d}]]", "x", "a: '\ud7ff \U0001F600'",
	} {
		d, err := parse([]byte(text), 1)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := d.json(d.root)
		if err != nil {
			t.Fatal(err)
		}
		kubectl, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got, want := generic(t, raw), generic(t, kubectl); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %s, and %s to kubectl", text, raw, kubectl)
		}
	}
}

func generic(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestMeaningless(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		name, next := string(rune('0'+i)), string(rune('1'+i))
		bomb += "a" + next + ": &a" + next + " [" + strings.TrimSuffix(strings.Repeat("*a"+name+",", 10), ",") + "]\n"
	}
	tests := map[string]struct{ text, want string }{
		"twice":             {"a: 1\nb: 2\na: 3\n", `:3:1: key "a" stands twice`},
		"infinity":          {"a: .inf", `:1:4: ".inf" is not a number`},
		"inside itself":     {"a: &x [*x]", `:1:8: alias "x" stands inside the value`},
		"merge of itself":   {"a: &x\n  <<: *x\n", "merge"},
		"merge of a scalar": {"<<: 1", ":1:5: a merge key takes a mapping"},
		"binary":            {"a: !!binary '%'", ":1:4: a value tagged !!binary"},
		"tagged collection": {"a: !!null\n- b\n", `:1:4: tag "!!null" is not known here`},
		"key":               {"? [a]\n: b", "not a scalar"},
		"bomb":              {bomb, "aliases expand to more than 1000000 values"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := parse([]byte(test.text), 1)
			if err == nil {
				_, err = d.json(d.root)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}
