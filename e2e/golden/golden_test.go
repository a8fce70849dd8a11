package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "what it shows\n-- definitions.yaml --\na: b\n-- pod.yaml --\nkind: Pod\n-- want.reasons --\ninjected Injected\nwarning: w\n-- want.patch.json --\n[\n{\"op\":\"add\"}\n]\n-- want.pod.yaml --\na: 1\n"

func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.txtar"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLoad(t *testing.T) {
	cases, err := Load(folder(t, sample))
	if err != nil || len(cases) != 1 || cases[0].Name != "x" || string(cases[0].PodJSON) != `{"kind":"Pod"}` {
		t.Fatalf("%v %+v", err, cases)
	}
	for _, c := range []struct{ text, want string }{
		{strings.Replace(sample, "pod.yaml", "pod.yml", 1), `file "pod.yml" has no meaning`},
		{"-- pod.yaml --\na: 1\n", "a case has pod.yaml and either"},
		{"-- pod.yaml --\na: 1\n-- definitions.yaml --\n-- role-manifest.yml --\nb\n", ""},
	} {
		if _, err := Load(folder(t, c.text)); (err == nil) != (c.want == "") && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder has cases")
	}
}

// TestStale: what a case expects and a result does not give is a difference, and
// the other way round.
func TestStale(t *testing.T) {
	cases, err := Load(folder(t, sample))
	if err != nil {
		t.Fatal(err)
	}
	c, none := &cases[0], ""
	warnings := []string{"w"}
	same := Result{Outcome: "injected", Reason: "Injected", Message: &none, Warnings: &warnings, Patch: []byte(`[{"op":"add"}]`), Pod: []byte(`{"a":1}`)}
	for _, test := range []struct {
		name  string
		edit  func(*Result)
		stale string
	}{
		{"same", func(*Result) {}, ""},
		{"less told", func(r *Result) { r.Patch, r.Pod, r.Message = nil, nil, nil }, ""},
		{"no patch", func(r *Result) { r.Patch = []byte("[]") }, wantPatch},
		{"no pod", func(r *Result) { r.Outcome, r.Reason = "refused", "PortClash" }, wantReasons + " " + wantPod},
		{"no warning", func(r *Result) { r.Warnings = &[]string{} }, wantReasons},
		{"other pod", func(r *Result) { r.Pod = []byte("a: 2") }, wantPod},
	} {
		r := same
		test.edit(&r)
		got, err := c.files(r)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		var stale []string
		for _, name := range []string{wantReasons, wantPatch, wantPod} {
			if got[name] != nil && !cmp.Equal(string(got[name]), string(c.want(name))) {
				stale = append(stale, name)
			}
		}
		if strings.Join(stale, " ") != test.stale {
			t.Errorf("%s: stale %q, want %q", test.name, stale, test.stale)
		}
	}
	other := same
	other.Message, other.Reason = nil, "Outdated"
	if _, err := c.files(other); err == nil {
		t.Error("another reason passes where the message is not told")
	}
}

// TestUpdateIsStable: what is written is what is compared.
func TestUpdateIsStable(t *testing.T) {
	dir := folder(t, sample)
	message := "no."
	do := func(*testing.T, Case) Result {
		return Result{Outcome: "refused", Reason: "PortClash", Message: &message, Warnings: &[]string{}, Patch: []byte("[]"), Pod: []byte("a: 1")}
	}
	Run(t, dir, true, do)
	Run(t, dir, false, do)
	text, err := os.ReadFile(filepath.Join(dir, "x.txtar"))
	if err != nil || strings.Contains(string(text), wantPod) || !strings.Contains(string(text), "refused PortClash\nmessage: no.\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
