package workload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const podText = `apiVersion: v1
kind: Pod
metadata:
  name: p%d
  annotations:
    colocate.dev/role: %s
spec:
  containers:
  - name: nginx
    image: example.org/nginx:1
`

// stream is n documents: pods that ask, pods that do not, other kinds.
func stream(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("---\n")
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, podText, i, "nginx")
		case 1:
			fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata: {a: b}\n", i)
		default:
			fmt.Fprintf(&b, "apiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\nspec: {containers: []}\n", i)
		}
	}
	return b.String()
}

func TestOrder(t *testing.T) {
	in := stream(600)
	alone, report := injectWith(t, in, 1)
	many, manyReport := injectWith(t, in, 8)
	if alone != many || report != manyReport {
		t.Error("the output depends on the number of workers")
	}
	if n := strings.Count(report, ": Injected"); n != 200 {
		t.Errorf("%d pods are reported as injected, not 200", n)
	}
	if n := strings.Count(many, "name: log-forwarder\n"); n != 200 {
		t.Errorf("%d pods are injected, not 200", n)
	}
}

func injectWith(t *testing.T, in string, workers int) (out, report string) {
	t.Helper()
	var buf bytes.Buffer
	var lines strings.Builder
	err := workload.Inject(context.Background(), strings.NewReader(in), "in", workload.NewOutput(&buf, workload.YAML, false),
		workload.Options{Plan: planner(t), Workers: workers, Report: func(r workload.Result) { reportLine(&lines, r) }})
	if err != nil {
		t.Fatal(err)
	}
	return buf.String(), lines.String()
}

var errBroken = errors.New("broken pipe")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestInjectErrors(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	tests := map[string]struct {
		ctx  context.Context
		in   io.Reader
		out  io.Writer
		want error
	}{
		"reading": {context.Background(), io.MultiReader(strings.NewReader(stream(10)), iotest.ErrReader(errBroken)), io.Discard, errBroken},
		"writing": {context.Background(), strings.NewReader(stream(500)), brokenWriter{}, errBroken},
		"context": {ended, strings.NewReader(stream(500)), io.Discard, context.Canceled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := workload.Inject(test.ctx, test.in, "in", workload.NewOutput(test.out, workload.YAML, false), workload.Options{Plan: planner(t)})
			if !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
		})
	}
}

// TestBlockedRead: a context that ends while input is awaited ends Inject too.
func TestBlockedRead(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- workload.Inject(ctx, r, "in", workload.NewOutput(io.Discard, workload.YAML, false), workload.Options{Plan: planner(t)})
	}()
	if _, err := io.WriteString(w, stream(1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSources joins sources into one stream, and leaves documents out of it.
func TestSources(t *testing.T) {
	plain := func(name string) string { return "kind: X\nname: " + name + "\n" }
	refused := fmt.Sprintf(podText, 1, "nobody")
	tests := map[string]struct {
		sources []string
		want    string
	}{
		"two":                    {[]string{plain("a"), plain("b")}, plain("a") + "---\n" + plain("b")},
		"separator there":        {[]string{plain("a"), "---\n" + plain("b")}, plain("a") + "---\n" + plain("b")},
		"no final newline":       {[]string{"a: 1", "b: 2"}, "a: 1\n---\nb: 2"},
		"crlf":                   {[]string{"a: 1\r\nc: 1", "b: 2"}, "a: 1\r\nc: 1\r\n---\r\nb: 2"},
		"ended":                  {[]string{"a: 1\n...\n", "b: 2\n"}, "a: 1\n...\nb: 2\n"},
		"directive":              {[]string{"a: 1\n", "# c\n%YAML 1.1\n---\nb: 2\n"}, "a: 1\n...\n# c\n%YAML 1.1\n---\nb: 2\n"},
		"byte order mark":        {[]string{"\ufeffa: 1\n", "\ufeffb: 2\n"}, "\ufeffa: 1\n---\nb: 2\n"},
		"JSON":                   {[]string{"{\"a\":1}\n", "{\"b\":2}\n"}, "{\"a\":1}\n{\"b\":2}\n"},
		"empty source":           {[]string{"", "a: 1\n"}, "a: 1\n"},
		"refused between":        {[]string{"a: 1\n...\n" + refused + "...\nb: 2\n"}, "a: 1\n...\nb: 2\n"},
		"refused, with its end":  {[]string{"a: 1\n---\n" + refused + "...\nb: 2\n"}, "a: 1\n---\nb: 2\n"},
		"refused first":          {[]string{refused + "---\na: 1\n"}, "---\na: 1\n"},
		"refused alone, another": {[]string{refused, plain("a")}, plain("a")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			out := workload.NewOutput(&buf, workload.YAML, false)
			for i, s := range test.sources {
				if err := workload.Inject(context.Background(), strings.NewReader(s), fmt.Sprint(i), out, workload.Options{Plan: planner(t)}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, buf.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestEach(t *testing.T) {
	in := fmt.Sprintf(podText, 1, "nginx") + "---\nkind: Pod\n\tbroken\n---\n" + fmt.Sprintf(podText, 2, "nobody")
	var got []string
	err := workload.Each(strings.NewReader(in), "in", func(o workload.Object, err error) error {
		if err != nil {
			got = append(got, err.Error())
			return nil
		}
		var pod injector.Pod
		if err := o.Pod(&pod); err != nil {
			return err
		}
		got = append(got, fmt.Sprintf("%s:%d: %s %s", o.Source, o.Line, o.Name, pod.Role()))
		return nil
	})
	want := []string{"in:1: p1 nginx", "in:13:1: a tab stands where YAML wants spaces: indent with spaces", "in:15: p2 nobody"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, -want +got\n%s", err, diff)
	}
	err = workload.Each(strings.NewReader(in), "in", func(workload.Object, error) error { return errBroken })
	if !errors.Is(err, errBroken) {
		t.Errorf("error is %v", err)
	}
}

func TestParseFormat(t *testing.T) {
	for i, name := range workload.Formats() {
		if f, err := workload.ParseFormat(name); err != nil || f != workload.Format(i) {
			t.Errorf("%s is %v, %v", name, f, err)
		}
	}
	if _, err := workload.ParseFormat("xml"); err == nil || err.Error() != `output format "xml" is not known: use yaml, json, patch, diff` {
		t.Errorf("error is %v", err)
	}
}
