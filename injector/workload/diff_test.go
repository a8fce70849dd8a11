package workload_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"colocate.dev/colocate/injector/workload"
)

// TestDiffApplies reads the diff of a whole stream as a patch program would and
// comes to the same text as the YAML format.
func TestDiffApplies(t *testing.T) {
	tests := map[string]string{
		"stream":     stream(30),
		"no newline": strings.TrimSuffix(stream(4), "\n"),
		"crlf":       strings.ReplaceAll(stream(4), "\n", "\r\n"),
		"flow":       "{apiVersion: v1, kind: Pod, metadata: {annotations: {colocate.dev/role: nginx}}, spec: {containers: [{name: a, image: b}]}}",
		"none":       "a: 1\n",
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			want, _ := inject(t, in, "in", workload.YAML)
			diff, _ := inject(t, in, "in", workload.Diff)
			if got := applyDiff(t, in, diff); got != want {
				t.Errorf("the diff\n%s\ngives\n%q\nnot\n%q", diff, got, want)
			}
		})
	}
}

// applyDiff applies a unified diff strictly: every line number counts.
func applyDiff(t *testing.T, in, diff string) string {
	t.Helper()
	source := strings.SplitAfter(in, "\n")
	var out []string
	at := 0
	var last byte
	for line := range strings.Lines(diff) {
		var from, fromLen, to, toLen int
		switch {
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &fromLen, &to, &toLen); err != nil {
				if _, err := fmt.Sscanf(line, "@@ -%d +%d", &from, &to); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
			}
			out = append(out, source[at:from-1]...)
			if at = from - 1; len(out) != to-1 {
				t.Fatalf("%q: %d lines are there", line, len(out))
			}
		case line[0] == '\\':
			if last == '+' {
				out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
			}
		case line[0] == '+':
			out = append(out, line[1:])
		default:
			if strings.TrimSuffix(source[at], "\n") != strings.TrimSuffix(line[1:], "\n") {
				t.Fatalf("line %d is %q, the diff has %q", at+1, source[at], line)
			}
			if line[0] == ' ' {
				out = append(out, source[at])
			}
			at++
		}
		last = line[0]
	}
	return strings.Join(append(out, source[at:]...), "")
}

func TestDiffColour(t *testing.T) {
	var buf bytes.Buffer
	err := workload.Inject(context.Background(), strings.NewReader(fmt.Sprintf(podText, 1, "nginx")), "in",
		workload.NewOutput(&buf, workload.Diff, true), workload.Options{Plan: planner(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[1m--- in\x1b[0m\n", "\x1b[36m@@ -", "\x1b[32m+  - name: registry\x1b[0m\n", "\n   containers:\n"} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("%q is not in\n%q", want, buf.String())
		}
	}
}
