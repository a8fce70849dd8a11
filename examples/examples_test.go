// Package examples_test runs the command line over every example.
package examples_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// update rewrites the expected files: go test ./examples -update.
var update = flag.Bool("update", false, "write the expected files instead of comparing")

// program is the path of the built command line; errBuild says why there is none.
var (
	program  string
	errBuild error
)

func TestMain(m *testing.M) {
	flag.Parse()
	folder, err := os.MkdirTemp("", "colocate-examples-")
	if err != nil {
		errBuild = err
	} else {
		defer removeAll(folder)
		program = filepath.Join(folder, "colocate")
		build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../cmd/colocate")
		build.Stderr = os.Stderr
		errBuild = build.Run()
	}
	m.Run() // the testing package ends the program with its result
}

func removeAll(folder string) {
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// TestExamples holds, for every folder with a role manifest, what `colocate build`
// prints (definitions.yaml) and what `colocate inject` makes of the workload
// (injected.yaml), and for those with a refused workload what it says
// (refused.txt).
func TestExamples(t *testing.T) {
	if errBuild != nil {
		t.Fatal(errBuild)
	}
	manifests, err := filepath.Glob("*/role-manifest.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sidecar", "ambassador", "adapter", "init", "job", "statefulset"} {
		if _, err := os.Stat(filepath.Join(name, "README.md")); err != nil {
			t.Errorf("example without a README: %v", err)
		}
	}
	for _, manifest := range manifests {
		folder := filepath.Dir(manifest)
		t.Run(folder, func(t *testing.T) {
			out, said := colocate(t, folder, 0, "build", "role-manifest.yml")
			compare(t, filepath.Join(folder, "definitions.yaml"), out)
			if strings.Contains(said, "warning:") {
				t.Errorf("build warns about an example: %s", said)
			}
			out, _ = colocate(t, folder, 0, "inject", "-f", "workload.yaml", "--manifest", "role-manifest.yml")
			compare(t, filepath.Join(folder, "injected.yaml"), out)
			if again, _ := colocate(t, folder, 0, "inject", "-f", "injected.yaml", "--definitions", "definitions.yaml"); again != out {
				t.Errorf("injecting again changes the workload: %s", cmp.Diff(out, again))
			}
			if _, err := os.Stat(filepath.Join(folder, "refused.yaml")); !errors.Is(err, fs.ErrNotExist) {
				_, said := colocate(t, folder, 1, "inject", "-f", "refused.yaml", "--manifest", "role-manifest.yml")
				compare(t, filepath.Join(folder, "refused.txt"), said)
			}
		})
	}
}

// colocate runs the command line in a folder, wants an exit code and gives both
// outputs.
func colocate(t *testing.T, folder string, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = folder
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	if got := command.ProcessState.ExitCode(); got != code {
		t.Fatalf("colocate %q: exit code %d, want %d (%v)\n%s", args, got, code, err, said.String())
	}
	return out.String(), said.String()
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./examples -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", path, diff)
	}
}
