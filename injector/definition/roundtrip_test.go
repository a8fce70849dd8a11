package definition_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// FuzzDecode checks that nothing panics and that what is accepted is the same
// after it was written and read again.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/decode/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.TrimSuffix(a.Files[0].Name, definition.Extension), a.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		d, faults := definition.Decode(name+definition.Extension, data, injector.Origin{})
		if d.Unreadable == "" {
			sameAgain(t, d)
		} else if len(faults) == 0 {
			t.Errorf("unreadable without a fault: %s", d.Unreadable)
		}
	})
}

// FuzzEncode checks the same for any text in places where text is free.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{
		"", "a", "yes", "0755", "1:30", "1e3", "~", "null", "- a", "a: b", "a #b", "---", "...", "--follow", " a", "a ", "\t", "\n",
		"a\nb", "a\nb\n", "a\n\nb\n\n", "a\n  b\nc", " a\nb", "a \nb", "a\n\tb\n", "a\r\nb", "\u0085", "\u2028\u2029", "\ufeff", "\U0001F600",
		"\x7f", "a\u0000b", "#!/bin/sh\nset -e\nexec \"$@\"\n", "{a}", "[a]", "&a", "*a", "!a", "%a", "@a", "`a", "'", "\"", "\\", "?", ":", "-", "<<", "=",
		strings.Repeat("k", 2000),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := injector.ColocatedContainer{Container: corev1.Container{
			Image: s, Args: []string{s, s}, Env: []corev1.EnvVar{{Name: s, Value: s}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceName(s): resource.MustParse("1")}},
		}}
		d, err := definition.FromColocated("agent", c, injector.Origin{})
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if got, want := d.Colocated.Container.Args[1], strings.ToValidUTF8(s, "\ufffd"); got != want && strings.ToValidUTF8(s, "") == s {
			t.Errorf("%q became %q", want, got)
		}
		sameAgain(t, d)
	})
}

func sameAgain(t *testing.T, d injector.Definition) {
	t.Helper()
	text, err := definition.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	again, faults := definition.Decode(d.Name+definition.Extension, text, injector.Origin{})
	if again.Unreadable != "" {
		t.Fatalf("own output cannot be read: %v\n%s", faults, text)
	}
	if !bytes.Equal(again.JSON, d.JSON) {
		t.Errorf("JSON changed\n%s\n%s\n%s", d.JSON, again.JSON, text)
	}
	if second, err := definition.Encode(again); err != nil || !bytes.Equal(second, text) {
		t.Errorf("text changed: %v\n%s\n%s", err, text, second)
	}
}
