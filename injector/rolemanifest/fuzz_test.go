package rolemanifest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// FuzzRead holds any input to what Read promises: no panic, findings at places in
// the file, and definitions that load wherever there are any.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 4096 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		result := Read("fuzz.yml", data, Options{Images: Images{Template: "example.org/{role}:1"}})
		lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
		for _, d := range result.Diagnostics {
			if d.Line < 1 || d.Line > lineCount(data) || d.Column < 1 {
				t.Fatalf("%s: outside of the file", d)
			}
			if d.Line <= len(lines) && utf8.Valid(data) && d.Column > utf8.RuneCount(lines[d.Line-1])+2 && lineCount(data) == len(lines) {
				t.Fatalf("%s: column beyond the line, which has %d characters", d, utf8.RuneCount(lines[d.Line-1]))
			}
		}
		if failed := result.Diagnostics.Failed(false); failed != (result.Definitions == nil) {
			t.Fatalf("%d definitions and %d errors", len(result.Definitions), result.Diagnostics.Count(Error))
		}
		loads(t, result.Definitions)
		if err := Text(&bytes.Buffer{}, result.Diagnostics, data, true); err != nil {
			t.Fatal(err)
		}
	})
}

// lineCount counts the line breaks that YAML knows.
func lineCount(data []byte) int {
	n := 1 + bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r"))
	for _, wide := range []string{"\u0085", "\u2028", "\u2029"} {
		n += bytes.Count(data, []byte(wide))
	}
	return n
}

// loads holds definitions to what the webhook asks: each is read back as the same,
// and together they compile without a fault.
func loads(t *testing.T, defs []injector.Definition) {
	t.Helper()
	again := make([]injector.Definition, 0, len(defs))
	for _, d := range defs {
		text, err := definition.Encode(d)
		if err != nil {
			t.Fatalf("definition %q: %v", d.Name, err)
		}
		back, faults := definition.Decode(d.Name+definition.Extension, text, injector.Origin{Source: "test"})
		for _, f := range faults {
			if !f.Warning {
				t.Fatalf("definition %q does not load: %v\n%s", d.Name, f, text)
			}
		}
		if !bytes.Equal(back.JSON, d.JSON) {
			t.Fatalf("definition %q changes when it is written and read:\n%s\n%s", d.Name, d.JSON, back.JSON)
		}
		again = append(again, back)
	}
	_, faults := injector.Compile(again)
	for _, f := range faults {
		if !f.Warning {
			t.Fatalf("the definitions do not compile: %v", f)
		}
	}
}

// TestGoodCasesLoad is the same for the cases that are written by hand.
func TestGoodCasesLoad(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.good.yml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		loads(t, Read(file, data, caseOptions(t, data)).Definitions)
	}
}
