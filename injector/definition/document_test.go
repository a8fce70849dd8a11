package definition_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// TestDecode runs the cases in testdata/decode: one archive a case, with the
// document under its key, and either want.json or want.faults. UPDATE=1 rewrites the expectations.
func TestDecode(t *testing.T) {
	files, err := filepath.Glob("testdata/decode/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			key := a.Files[0].Name
			d, faults := definition.Decode(key, a.Files[0].Data, injector.Origin{Source: "cm"})
			got := []txtar.File{a.Files[0]}
			if len(d.JSON) > 0 {
				got = append(got, txtar.File{Name: "want.json", Data: append(d.JSON, '\n')})
			}
			if len(faults) > 0 {
				got = append(got, txtar.File{Name: "want.faults", Data: []byte(faultLines(faults))})
			}
			checkShape(t, key, d, faults)
			if os.Getenv("UPDATE") != "" {
				a.Files = got
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(&txtar.Archive{Files: a.Files})), string(txtar.Format(&txtar.Archive{Files: got}))); diff != "" {
				t.Errorf("differs from the expectation (-want +got):\n%s", diff)
			}
		})
	}
}

// checkShape checks what is true of every answer.
func checkShape(t *testing.T, key string, d injector.Definition, faults []injector.Fault) {
	t.Helper()
	set := 0
	for _, is := range []bool{d.Role != nil, d.Colocated != nil, d.Unreadable != ""} {
		if is {
			set++
		}
	}
	if set != 1 || (d.Unreadable == "") != (len(d.JSON) > 0) {
		t.Errorf("definition is of %d kinds: %+v", set, d)
	}
	if d.Name+definition.Extension != key {
		t.Errorf("name %q for key %q", d.Name, key)
	}
	bad := false
	for _, f := range faults {
		bad = bad || !f.Warning
		if f.Origin.Line < 1 || f.Origin.Column < 1 || f.Origin.Key != key || f.Message == "" || f.Reason == "" {
			t.Errorf("fault %+v", f)
		}
	}
	if bad != (d.Unreadable != "") {
		t.Errorf("unreadable %q with faults %v", d.Unreadable, faults)
	}
}

func faultLines(faults []injector.Fault) string {
	var b strings.Builder
	for _, f := range faults {
		level := "error"
		if f.Warning {
			level = "warning"
		}
		fmt.Fprintf(&b, "%s %s %s\n", level, f.Reason, f.Error())
	}
	return b.String()
}

func TestDecodeSumsUpWhyItCannotRead(t *testing.T) {
	d, _ := definition.Decode("x.yaml", []byte("apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: x}\nspec: null\n"), injector.Origin{})
	if want := `4:7: spec: null is no value here: give it a value, or remove it`; d.Unreadable != want {
		t.Errorf("got  %s\nwant %s", d.Unreadable, want)
	}
	d, _ = definition.Decode("x.yaml", []byte("apiVersion: colocate.dev/v2\nkind: Role\nmetadata: {name: z}\nspec: {}\n"), injector.Origin{})
	if want := `1:13: apiVersion: "colocate.dev/v2" is not known here: write "colocate.dev/v1" (and 1 more)`; d.Unreadable != want {
		t.Errorf("got  %s\nwant %s", d.Unreadable, want)
	}
}
