package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "colocate.dev/colocate"

// room is a folder of the architecture and what its code, tests aside, may import.
// An entry allows that package and those below it; one that ends in "$" that
// package alone.
type room struct {
	folder string
	// own are packages of this module, relative to it.
	own []string
	// foreign are packages of other modules; nil forbids all, anything allows all.
	foreign []string
	// pure rooms compute: they see no clock, file, network, environment or log.
	pure bool
}

var (
	anything = []string{""}
	impure   = []string{"os", "net/http$", "net$", "log", "math/rand", "crypto/rand", "time", "syscall", "flag"}
)

// rooms are in the order in which a package looks for its own: the first whose
// folder is the package's or lies above it.
func rooms() []room {
	const (
		yaml = "gopkg.in/yaml.v3"
		json = "sigs.k8s.io/json"
		diff = "github.com/pmezard/go-difflib"
	)
	kubernetes := []string{"k8s.io/api", "k8s.io/apimachinery"}
	reading := []string{"injector$", "injector/internal"}
	return []room{
		{folder: "injector/internal/pattern", pure: true},
		{folder: "injector/internal/yamldoc", own: []string{"injector/internal/pattern"}, foreign: []string{yaml}, pure: true},
		// The role manifest's definitions are checked as those of a ConfigMap are.
		{folder: "injector/rolemanifest", own: append([]string{"injector/definition"}, reading...), foreign: append([]string{yaml, json}, kubernetes...), pure: true},
		{folder: "injector/definition", own: reading, foreign: append([]string{yaml, json}, kubernetes...), pure: true},
		{folder: "injector/workload", own: reading, foreign: append([]string{yaml, diff}, kubernetes...), pure: true},
		{folder: "injector", foreign: append([]string{"github.com/mattbaird/jsonpatch"}, kubernetes...), pure: true},
		{folder: "webhook", own: []string{"injector$", "injector/definition"}, foreign: anything},
		{folder: "certs", foreign: anything},
		{folder: "manifests"},
		{folder: "cmd/colocate", own: []string{"injector", "webhook", "certs", "manifests"}, foreign: anything},
		{folder: "e2e", own: []string{"e2e", "manifests", "injector$"}, foreign: anything},
		{folder: "examples", foreign: anything},
		{folder: "tools/chart", own: []string{"manifests"}, foreign: anything},
		{folder: "tools"},
	}
}

// TestDirections holds the table of who may import whom.
func TestDirections(t *testing.T) {
	packages := listPackages(t)
	seen := map[string]bool{}
	for _, p := range packages {
		relative := strings.TrimPrefix(p.ImportPath, module+"/")
		if strings.HasSuffix(relative, "/internal/gen") {
			continue // run by `go generate` only; nothing can import a command
		}
		index := slices.IndexFunc(rooms(), func(r room) bool { return matches(relative, r.folder) })
		if index < 0 {
			t.Errorf("package %q is in no room: give it one in e2e/directions_test.go and in docs/architecture.md", relative)
			continue
		}
		room := rooms()[index]
		seen[room.folder] = true
		for _, imported := range p.Imports {
			if complaint := room.judge(imported); complaint != "" {
				t.Errorf("package %q imports %q: %s", relative, imported, complaint)
			}
		}
	}
	for _, folder := range []string{"injector", "manifests", "e2e", "tools"} {
		if !seen[folder] {
			t.Errorf("no package of %q was looked at", folder)
		}
	}
}

// TestDirectionsCanFail shows that each kind of wrong import is seen.
func TestDirectionsCanFail(t *testing.T) {
	for _, test := range []struct{ folder, imported, want string }{
		{"injector", module + "/webhook", "may not know"},
		{"injector", "gopkg.in/yaml.v3", "not a library"},
		{"injector", "os/exec", "pure"},
		{"injector/workload", module + "/injector/rolemanifest", "may not know"},
		{"certs", module + "/injector", "may not know"},
		{"manifests", "k8s.io/api/core/v1", "not a library"},
		{"webhook", module + "/certs", "may not know"},
		{"injector", "k8s.io/api/core/v1", ""},
		{"injector/workload", module + "/injector", ""},
		{"webhook", "os", ""},
	} {
		index := slices.IndexFunc(rooms(), func(r room) bool { return r.folder == test.folder })
		got := rooms()[index].judge(test.imported)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%q importing %q: complaint %q, want one with %q", test.folder, test.imported, got, test.want)
		}
	}
}

// judge says why a room may not import a package, "" where it may.
func (r room) judge(imported string) string {
	first, _, _ := strings.Cut(imported, "/")
	relative, own := strings.CutPrefix(imported, module)
	relative = strings.TrimPrefix(relative, "/")
	switch {
	case own:
		if matches(relative, r.folder) || matchesAny(relative, r.own) {
			return ""
		}
		return r.folder + " may not know that room"
	case !strings.Contains(first, "."):
		if r.pure && matchesAny(imported, impure) {
			return r.folder + " is pure: no clock, file, network, environment or log"
		}
		return ""
	case matchesAny(imported, r.foreign):
		return ""
	}
	return "not a library that " + r.folder + " uses"
}

func matchesAny(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(path, pattern) })
}

// matches says whether a path is the pattern or, unless that ends in "$", lies
// below it. Below "" lies everything.
func matches(path, pattern string) bool {
	exact, only := strings.CutSuffix(pattern, "$")
	return pattern == "" || path == exact || !only && strings.HasPrefix(path, exact+"/")
}

type listed struct {
	ImportPath string
	Imports    []string
}

// listPackages asks the Go command for all packages of this module.
func listPackages(t *testing.T) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	command.Dir = ".."
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaints.String())
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
