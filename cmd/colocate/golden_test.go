package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"colocate.dev/colocate/e2e/golden"
)

// TestGolden runs the cases of the plan through explain and inject.
func TestGolden(t *testing.T) {
	decided := regexp.MustCompile(`(?m)^  (\w+) \((\w+)\): `)
	golden.Run(t, "../../injector/testdata/cases", false, func(t *testing.T, c golden.Case) golden.Result {
		dir := t.TempDir()
		pod := filepath.Join(dir, golden.PodFile)
		definitions := filepath.Join(dir, golden.Definitions)
		for name, text := range map[string][]byte{pod: c.Pod, definitions: append(bytes.Clone(c.Definitions), c.RoleManifest...)} {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		said, _, code := command(t, "", "explain", "-f", pod, "-d", definitions)
		found := decided.FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("explain said nothing of a decision:\n%s", said)
		}
		patch, complaints, injectCode := command(t, "", "inject", "-f", pod, "-d", definitions, "-o", "patch")
		text, _, _ := command(t, "", "inject", "-f", pod, "-d", definitions)
		refused := found[1] == "refused"
		if want := map[bool]int{true: exitFaults}[refused]; code != want || injectCode != want {
			t.Errorf("exit codes of explain and inject %d and %d, want %d", code, injectCode, want)
		}
		if refused && text != "" {
			t.Errorf("a refused pod is printed:\n%s", text)
		}
		if !strings.Contains(complaints, "("+found[2]+")") {
			t.Errorf("explain decided %s, inject said\n%s", found[2], complaints)
		}
		if patch == "" {
			patch = "[]"
		}
		return golden.Result{Outcome: found[1], Reason: found[2], Patch: []byte(patch), Pod: []byte(text)}
	})
}

// command runs a command line in this process.
func command(t testing.TB, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	p := program{in: strings.NewReader(stdin), out: &out, err: &errs, version: buildInfo{Version: "test"}}
	code = p.run(args)
	return out.String(), errs.String(), code
}
