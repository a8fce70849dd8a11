package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferenceIsUpToDate(t *testing.T) {
	const file = "../../docs/cli.md"
	want := reference((&program{}).root())
	if *update {
		if err := writeFile(file, want); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), string(want)); diff != "" {
		t.Errorf("%s is stale: run make generate (-have +want)\n%s", file, diff)
	}
}

// TestEveryCommandSaysWhatItIsFor holds what a newcomer reads first.
func TestEveryCommandSaysWhatItIsFor(t *testing.T) {
	for _, c := range (&program{}).root().Commands() {
		if !documented(c) {
			continue
		}
		if c.Short == "" || c.Short[len(c.Short)-1] == '.' {
			t.Errorf("%s: short description %q: give one, without a full stop", c.Name(), c.Short)
		}
		if c.HasLocalFlags() && c.Long == "" && c.Name() != "version" {
			t.Errorf("%s: has flags and no long description", c.Name())
		}
	}
}
