package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"colocate.dev/colocate/injector"
)

func TestPageIsUpToDate(t *testing.T) {
	have, err := os.ReadFile("../../../docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), string(page())); diff != "" {
		t.Errorf("docs/reasons.md is stale; run: make generate\n%s", diff)
	}
}

func TestPageExplainsEveryReason(t *testing.T) {
	text := string(page())
	for _, r := range injector.Reasons() {
		if !strings.Contains(text, "\n### "+string(r.Code)+"\n") {
			t.Errorf("%s is missing", r.Code)
		}
	}
	if got := strings.Count(text, "\n## "); got != len(groups) {
		t.Errorf("%d groups, want %d: a group starts at a reason that is no longer in the table", got, len(groups))
	}
}
