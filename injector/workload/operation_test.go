package workload

import (
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// TestAdd compares the yardstick of the self-check with the library that the
// API server applies patches with.
func TestAdd(t *testing.T) {
	const doc = `{"a":{"b~/c":1,"n":null},"l":[1,{"x":[]}],"e":[],"big":9007199254740993}`
	tests := []struct {
		path, value string
		fails       bool
	}{
		{path: "/a/new", value: `{"x":1}`},
		{path: "/a/b~0~1c", value: `2`},
		{path: "/a/n", value: `[]`},
		{path: "/l/-", value: `"end"`},
		{path: "/l/0", value: `"first"`},
		{path: "/l/2", value: `null`},
		{path: "/l/1/x/-", value: `12345678901234567890`},
		{path: "/e/0", value: `1`},
		{path: "/", value: `1`},
		{path: "/e/1", value: `1`, fails: true},
		{path: "/l/01", value: `1`, fails: true},
		{path: "/l/x", value: `1`, fails: true},
		{path: "/l/9/x", value: `1`, fails: true},
		{path: "/l/-/x", value: `1`, fails: true},
		{path: "/none/x", value: `1`, fails: true},
		{path: "/a/n/x", value: `1`, fails: true},
		{path: "/big/x", value: `1`, fails: true},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			patch := `[{"op":"add","path":"` + test.path + `","value":` + test.value + `}]`
			ops, err := readPatch([]byte(patch))
			if err != nil {
				t.Fatal(err)
			}
			value, err := decode(ops[0].Value)
			if err != nil {
				t.Fatal(err)
			}
			before, err := decode([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			got, err := add(before, tokens(ops[0].Path), value)
			if (err != nil) != test.fails {
				t.Fatalf("error is %v", err)
			}
			if test.fails {
				return
			}
			judge, err := jsonpatch.DecodePatch([]byte(patch))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := judge.Apply([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			want, err := decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestReadPatchRefuses(t *testing.T) {
	for _, patch := range []string{
		`{}`, `[{"op":"remove","path":"/a"}]`, `[{"op":"add","path":"/a"}]`, `[{"op":"add","path":"a","value":1}]`,
	} {
		if _, err := readPatch([]byte(patch)); err == nil || !strings.HasPrefix(err.Error(), "patch ") {
			t.Errorf("%s: error is %v", patch, err)
		}
	}
}
