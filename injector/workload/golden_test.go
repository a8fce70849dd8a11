package workload_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/workload"
)

var update = flag.Bool("update", false, "rewrite what testdata expects")

// definitions are what the cases use: nginx adds a container, a volume and a
// mount; full adds every kind of thing that a role can.
const definitions = `[
{"apiVersion":"colocate.dev/v1","kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":["log-forwarder"],
 "volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}],"volumes":[{"name":"common-share","emptyDir":{}}]}},
{"apiVersion":"colocate.dev/v1","kind":"Role","metadata":{"name":"full"},"spec":{"colocated":["log-forwarder","setup","proxy"],
 "volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}],"volumes":[{"name":"common-share","emptyDir":{}}]}},
{"apiVersion":"colocate.dev/v1","kind":"ColocatedContainer","metadata":{"name":"log-forwarder"},"spec":{
 "container":{"name":"log-forwarder","image":"example.org/log-forwarder:1.4","args":["--follow","/mnt/share"],
  "volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}},
 "volumes":[{"name":"common-share","emptyDir":{}}],"imagePullSecrets":[{"name":"registry"}]}},
{"apiVersion":"colocate.dev/v1","kind":"ColocatedContainer","metadata":{"name":"setup"},"spec":{"placement":"init",
 "container":{"name":"setup","image":"example.org/setup:2","command":["sh","-c","set -e\n# prepare\necho \"ready: yes\"\n"],
  "env":[{"name":"FLAG","value":"yes"},{"name":"N","value":"08"},{"name":"Q","value":"it's \"so\""}]}}},
{"apiVersion":"colocate.dev/v1","kind":"ColocatedContainer","metadata":{"name":"proxy"},"spec":{"placement":"native-first",
 "container":{"name":"proxy","image":"example.org/proxy:3","ports":[{"containerPort":15001}]}}}
]`

func snapshot(t testing.TB) *injector.Snapshot {
	t.Helper()
	var texts []json.RawMessage
	if err := json.Unmarshal([]byte(definitions), &texts); err != nil {
		t.Fatal(err)
	}
	var defs []injector.Definition
	for _, text := range texts {
		defs = append(defs, definition(t, text))
	}
	s, faults := injector.Compile(defs)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

func definition(t testing.TB, text []byte) injector.Definition {
	t.Helper()
	var doc struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     json.RawMessage
	}
	var generic any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &generic); err != nil {
		t.Fatal(err)
	}
	canonical, err := json.Marshal(generic)
	if err != nil {
		t.Fatal(err)
	}
	d := injector.Definition{Name: doc.Metadata.Name, JSON: canonical, Origin: injector.Origin{Source: "test"}}
	if doc.Kind == injector.KindRole {
		d.Role = &injector.Role{}
		err = json.Unmarshal(doc.Spec, d.Role)
	} else {
		d.Colocated = &injector.ColocatedContainer{}
		err = json.Unmarshal(doc.Spec, d.Colocated)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func planner(t testing.TB) workload.Planner {
	s := snapshot(t)
	return func(pod *injector.Pod) injector.Decision { return s.Plan(pod, injector.Creation()) }
}

// inject runs one source and returns the output and the report, a line an object.
func inject(t testing.TB, in, source string, format workload.Format) (out, report string) {
	t.Helper()
	var buf bytes.Buffer
	var lines strings.Builder
	err := workload.Inject(context.Background(), strings.NewReader(in), source, workload.NewOutput(&buf, format, false), workload.Options{
		Plan: planner(t), Workers: 2,
		Report: func(r workload.Result) { reportLine(&lines, r) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return buf.String(), lines.String()
}

func reportLine(b *strings.Builder, r workload.Result) {
	if r.Err != nil {
		fmt.Fprintln(b, r.Err)
		return
	}
	fmt.Fprintf(b, "%s:%d: document %d", r.Source, r.Line, r.Document)
	if r.Item > 0 {
		fmt.Fprintf(b, " item %d", r.Item)
	}
	fmt.Fprintf(b, ": %s %s %q/%q: %s\n", r.APIVersion, r.Kind, r.Namespace, r.Name, r.Decision.Reason)
	if r.Decision.Message != "" {
		fmt.Fprintf(b, "  %s\n", r.Decision.Message)
	}
	for _, w := range append(append([]string{}, r.Decision.Warnings...), r.Warnings...) {
		fmt.Fprintf(b, "  warning: %s\n", w)
	}
}

// disguise turns a case's text into what its comment says it is.
func disguise(comment, text string) string {
	for word := range strings.FieldsSeq(comment) {
		switch word {
		case "@no-newline":
			text = strings.TrimSuffix(text, "\n")
		case "@crlf":
			text = strings.ReplaceAll(text, "\n", "\r\n")
		case "@bom":
			text = "\ufeff" + text
		}
	}
	return text
}

func undisguise(t *testing.T, comment, text string) string {
	t.Helper()
	plain := text
	for word := range strings.FieldsSeq(comment) {
		switch word {
		case "@bom":
			plain = strings.TrimPrefix(plain, "\ufeff")
		case "@crlf":
			plain = strings.ReplaceAll(plain, "\r\n", "\n")
		case "@no-newline":
			plain += "\n"
		}
	}
	if text != "" && disguise(comment, plain) != text {
		t.Errorf("line ends, byte order mark or final newline were not kept:\n%q", text)
	}
	return plain
}

// TestGolden runs testdata/*.txtar: in.yaml gives want.yaml, want.report and,
// where they are there, want.json, want.patch and want.diff.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, file, archive)
		})
	}
}

func golden(t *testing.T, file string, archive *txtar.Archive) {
	comment := string(archive.Comment)
	in := disguise(comment, string(archive.Files[0].Data))
	got := map[string]string{}
	for i, format := range workload.Formats() {
		text, report := inject(t, in, "in.yaml", workload.Format(i))
		if i == int(workload.YAML) {
			text = undisguise(t, comment, text)
			got["want.report"] = report
		}
		got["want."+format] = text
	}
	if archive.Files[0].Name != "in.yaml" {
		t.Fatal("the first file is not in.yaml")
	}
	have := map[string]bool{}
	for i, f := range archive.Files[1:] {
		have[f.Name] = true
		if *update {
			archive.Files[i+1].Data = []byte(got[f.Name])
			continue
		}
		if diff := cmp.Diff(string(f.Data), got[f.Name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	for _, name := range []string{"want.yaml", "want.report"} {
		if *update && !have[name] {
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got[name])})
		} else if !have[name] {
			t.Errorf("%s is missing", name)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
