package yamldoc_test

import (
	"encoding/json"
	"errors"
	"testing"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// FuzzParse checks that nothing panics, that every error has a position inside
// the text, and that JSON of what was accepted is JSON.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a: 1\n", pathDocument, bomb(5), "a: &x {k: 1}\nb:\n  <<: [*x, {l: 2}]\n", "a: &x\n  b: [*x]\n",
		"\ufeffa: 1\r\n", "a: @\n", "a: |\n  x\n y\n", "- [0x10, 0o7, .5, 1_0, +1, 08, .inf]\n", "? a\n: b\n",
		"!foo a: !!binary x\n", "a: \"\\u00e9\\x85\"\n", "---\n---\n", "%TAG ! x\n---\n!a b\n", "a:\n\tb: 1\n",
		"# c\na: # d\n# e\n  - 1 # f\n\n# g\n", "\xff\xfea\x00", "a: 'x\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, strict bool) {
		o := yamldoc.Options{AllowNull: !strict, StringKeys: strict, RefuseAmbiguous: strict, MaxNodes: 10_000}
		docs, errs := yamldoc.ParseAll(data, o)
		for _, e := range errs {
			if e.Line < 1 || e.Column < 1 || e.Line > len(data)+1 || e.Message == "" || e.Code == "" {
				t.Errorf("error %#v", e)
			}
		}
		for _, doc := range docs {
			text, err := yamldoc.JSON(doc)
			if err != nil {
				var e *yamldoc.Error
				if !errors.As(err, &e) || e.Line < 1 {
					t.Errorf("error without position: %v", err)
				}
				continue
			}
			if !json.Valid(text) {
				t.Fatalf("no JSON: %q", text)
			}
			again, err := yamldoc.Canonical(text)
			if err != nil || string(again) != string(text) {
				t.Errorf("canonical form of %s is %s, %v", text, again, err)
			}
		}
	})
}
