//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestVersionIsThatOfTheModule: the version that the programs are told is the one
// that go.mod pins.
func TestVersionIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("kubernetes/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "k8s.io/kubernetes "+kubernetesVersion+"\n") {
		t.Errorf("programs.go says %s, kubernetes/go.mod another version", kubernetesVersion)
	}
}

// fixture is a module without dependencies, as a set of one program.
func fixture(t *testing.T) (modules, out string, wanted []program) {
	t.Helper()
	modules, out = t.TempDir(), t.TempDir()
	folder := filepath.Join(modules, "hello")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "go.mod"), "module example.org/hello\n\ngo 1.26.0\n")
	write(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() {}\n")
	return modules, out, []program{{name: "bin/hello", module: "hello", pkg: ".", flags: linked()}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func stale(t *testing.T, wanted []program, modules, out string) []build {
	t.Helper()
	builds, err := outOfDate(wanted, modules, out)
	if err != nil {
		t.Fatal(err)
	}
	return builds
}

// TestBuildsWhatIsOutOfDate: missing, up to date, changed, removed.
func TestBuildsWhatIsOutOfDate(t *testing.T) {
	modules, out, wanted := fixture(t)
	var log bytes.Buffer
	for _, change := range []func(){
		func() {},
		func() {
			write(t, filepath.Join(modules, "hello", "main.go"), "package main\n\nfunc main() { println() }\n")
		},
		func() { _ = os.Remove(filepath.Join(out, "bin", "hello")) },
	} {
		change()
		builds := stale(t, wanted, modules, out)
		if len(builds) != 1 {
			t.Fatalf("%d programs are out of date, want 1", len(builds))
		}
		if err := builds[0].run(t.Context(), &log); err != nil {
			t.Fatal(err)
		}
		if builds := stale(t, wanted, modules, out); len(builds) != 0 {
			t.Fatal("still out of date after the build")
		}
	}
}

// TestFailedBuildLeavesNothing: no half file, no stamp, and the compiler's words.
func TestFailedBuildLeavesNothing(t *testing.T) {
	modules, out, wanted := fixture(t)
	write(t, filepath.Join(modules, "hello", "main.go"), "package main\n\nfunc main() { undefined() }\n")
	var log bytes.Buffer
	err := stale(t, wanted, modules, out)[0].run(t.Context(), &log)
	if err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("error does not hold the compiler's words: %v", err)
	}
	left, globErr := filepath.Glob(filepath.Join(out, "bin", "*"))
	if globErr != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, globErr)
	}
	if len(stale(t, wanted, modules, out)) != 1 {
		t.Error("a failed build counts as up to date")
	}
}

func TestUnknownSet(t *testing.T) {
	for _, names := range [][]string{nil, {"nodes"}} {
		if _, err := choose(names); err == nil || !strings.Contains(err.Error(), `"api" and "node"`) {
			t.Errorf("choose(%q): %v, want an error that names the sets", names, err)
		}
	}
}

func TestReadTellsPackagesFromComplaints(t *testing.T) {
	var compiled atomic.Int64
	complaints := read(strings.NewReader("go: downloading x v1\na/b\nc\n./main.go:3:1: wrong word\n"), &compiled)
	if compiled.Load() != 2 || complaints != "./main.go:3:1: wrong word" {
		t.Errorf("%d packages and %q", compiled.Load(), complaints)
	}
}

// TestSecondBuildWaits: the lock is held until it is given back.
func TestSecondBuildWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var log bytes.Buffer
	unlock, err := lock(path, &log)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		second, err := lock(path, &log)
		if err == nil {
			second()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("two builds hold the lock (%v)", err)
	case <-time.After(100 * time.Millisecond):
	}
	unlock()
	if err := <-got; err != nil {
		t.Error(err)
	}
}
