package rolemanifest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"colocate.dev/colocate/injector/definition"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata and the generated documents")

// A case is testdata/NAME.good.yml or testdata/NAME.bad.yml, with what comes of it
// in the .want file beside it. Options stand in comments of the manifest:
//
//	# image: role=ref
//	# template: registry.example.org/{role}:{tag}
//	# set: tag=1
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in testdata: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			result := Read(filepath.Base(file), data, caseOptions(t, data))
			good := strings.HasSuffix(name, ".good")
			if good == (result.Diagnostics.Count(Error) > 0) {
				t.Errorf("%d errors in a case that is named %s", result.Diagnostics.Count(Error), name)
			}
			if good == (result.Definitions == nil) {
				t.Errorf("%d definitions in a case that is named %s", len(result.Definitions), name)
			}
			checkPositions(t, data, result.Diagnostics)
			golden(t, strings.TrimSuffix(file, ".yml")+".want", render(t, result))
		})
	}
}

// TestNoStaleExpectations fails for expectations without a manifest.
func TestNoStaleExpectations(t *testing.T) {
	wants, err := filepath.Glob("testdata/*.want")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if _, err := os.Stat(strings.TrimSuffix(want, ".want") + ".yml"); err != nil {
			t.Errorf("%s: no manifest beside it: remove it", want)
		}
	}
}

// TestEveryCodeHasACase holds the table of codes and the cases together.
func TestEveryCodeHasACase(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.yml")
	seen := map[Code]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range Read(file, data, caseOptions(t, data)).Diagnostics {
			seen[d.Code] = true
			if remedyOf(d.Code) == "" && d.Severity == Error {
				t.Errorf("code %s is an error without an entry in the table", d.Code)
			}
			if d.Severity != Note && d.Remedy == "" {
				t.Errorf("%s: no remedy", d)
			}
		}
	}
	known := map[Code]bool{}
	for _, info := range Codes() {
		if known[info.Code] {
			t.Errorf("code %s stands twice in the table", info.Code)
		}
		known[info.Code] = true
		if !seen[info.Code] {
			t.Errorf("no case in testdata gives the code %s", info.Code)
		}
	}
	for code := range seen {
		if !known[code] {
			t.Errorf("code %s is not in the table", code)
		}
	}
}

func caseOptions(t *testing.T, data []byte) Options {
	t.Helper()
	o := Options{Images: Images{Explicit: map[string]string{}, Variables: map[string]string{}}}
	for line := range strings.Lines(string(data)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		switch key {
		case "# image":
			role, image, err := ParseImageFlag(value)
			if err != nil {
				role, image, _ = strings.Cut(value, "=")
			}
			o.Images.Explicit[role] = image
		case "# template":
			o.Images.Template = value
		case "# set":
			name, text, _ := strings.Cut(value, "=")
			o.Images.Variables[name] = text
		}
	}
	return o
}

func render(t *testing.T, result Result) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, d := range result.Diagnostics {
		fmt.Fprintf(&b, "%s\n  at %q\n", d, d.Path)
	}
	for _, c := range result.Images {
		fmt.Fprintf(&b, "image of %s: %s (%s)\n", c.Role, c.Image, c.Source)
	}
	for _, d := range result.Definitions {
		text, err := definition.Encode(d)
		if err != nil {
			t.Errorf("definition %q: %v", d.Name, err)
		}
		fmt.Fprintf(&b, "--- %s\n%s", d.Origin, text)
	}
	return b.Bytes()
}

// golden compares with a file, or writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); run the test with -update if that is right:\n%s", file, diff)
	}
}

// checkPositions holds every finding to a place inside the file.
func checkPositions(t *testing.T, data []byte, ds Diagnostics) {
	t.Helper()
	lines := bytes.Count(data, []byte("\n")) + 1
	for i, d := range ds {
		if d.Line < 1 || d.Line > lines || d.Column < 1 {
			t.Errorf("%s: the position is outside of the file, which has %d lines", d, lines)
		}
		if i > 0 && d == ds[i-1] {
			t.Errorf("%s: stands twice", d)
		}
	}
}
