package workload_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/workload"
)

// FuzzInject looks for panics, for output that cannot be read, and for objects
// that a second injection would change once more. The golden cases are its seeds.
func FuzzInject(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(disguise(string(archive.Comment), string(archive.Files[0].Data))))
	}
	plan := planner(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		first, results := run(t, plan, in)
		second, again := run(t, plan, first)
		stayed := 0
		for _, r := range results {
			if !r.LeftOut() {
				stayed++
			}
		}
		if len(again) != stayed {
			t.Fatalf("%d objects went out and %d are there\n%q\n%q", stayed, len(again), in, first)
		}
		for _, r := range again {
			if r.LeftOut() || r.Decision.Reason == injector.ReasonInjected {
				t.Fatalf("a second injection: %s %s %v\n%q\n%q", r.Decision.Reason, r.Decision.Message, r.Err, in, first)
			}
		}
		if !bytes.Equal(first, second) {
			t.Fatalf("a second injection changes the text\n%q\n%q\n%q", in, first, second)
		}
	})
}

func run(t *testing.T, plan workload.Planner, in []byte) (out []byte, results []workload.Result) {
	t.Helper()
	var buf bytes.Buffer
	err := workload.Inject(context.Background(), bytes.NewReader(in), "in", workload.NewOutput(&buf, workload.YAML, false),
		workload.Options{Plan: plan, Workers: 1, Report: func(r workload.Result) { results = append(results, r) }})
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes(), results
}
