package workload

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func chunks(t testing.TB, in io.Reader, limit int) []chunk {
	t.Helper()
	var all []chunk
	for s := newSplitter(in, limit); ; {
		c, err := s.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
}

func TestSplit(t *testing.T) {
	tests := map[string]struct {
		in   string
		want []string
	}{
		"nothing":             {"", nil},
		"one":                 {"a: 1", []string{"a: 1"}},
		"two":                 {"a: 1\n---\nb: 2\n", []string{"a: 1\n", "---\nb: 2\n"}},
		"header":              {"# c\n\n--- # d\na: 1\n", []string{"# c\n\n--- # d\na: 1\n"}},
		"directive":           {"%YAML 1.1\n---\na: 1\n---\nb", []string{"%YAML 1.1\n---\na: 1\n", "---\nb"}},
		"empty documents":     {"---\n---\n---", []string{"---\n", "---\n", "---"}},
		"on the line":         {"--- {a: 1}\n---\t|\n x\n", []string{"--- {a: 1}\n", "---\t|\n x\n"}},
		"no marker":           {"---a\n---- b\n  ---\n", []string{"---a\n---- b\n  ---\n"}},
		"end marker":          {"a\n...\n# c\n%TAG ! x\n---\nb\n", []string{"a\n...\n", "# c\n%TAG ! x\n---\nb\n"}},
		"crlf":                {"a\r\n---\r\nb\r\n", []string{"a\r\n", "---\r\nb\r\n"}},
		"byte order mark":     {"\ufeff---\na\n---\nb\n", []string{"\ufeff---\na\n", "---\nb\n"}},
		"JSON lines":          {"{\"a\": \"}\"}\n{\n \"b\": []\n}\n\n{}\n", []string{"{\"a\": \"}\"}\n", "{\n \"b\": []\n}\n\n", "{}\n"}},
		"flow style, no JSON": {"{a: 1}\n{b: 2}\n", []string{"{a: 1}\n{b: 2}\n"}},
		"JSON, then YAML":     {"{}\n---\na: '{'\n", []string{"{}\n", "---\na: '{'\n"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			line := 1
			for i, c := range chunks(t, iotest.OneByteReader(strings.NewReader(test.in)), 1<<20) {
				if c.index != i+1 || c.line != line {
					t.Errorf("chunk %d is said to be number %d at line %d, not %d", i+1, c.index, c.line, line)
				}
				line += bytes.Count(c.text, []byte("\n"))
				got = append(got, string(c.text))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSplitLimit(t *testing.T) {
	tests := map[string]string{
		"one line":   "a: 1\n---\nb: " + strings.Repeat("x", 200<<10) + "\n---\nc: 3\n",
		"many lines": "a: 1\n---\n" + strings.Repeat("b\n", 40<<10) + "---\nc: 3\n",
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			got := chunks(t, strings.NewReader(in), 64<<10)
			if len(got) != 3 || got[1].err == nil || got[1].text != nil {
				t.Fatalf("%d chunks, the second with error %v", len(got), got[min(1, len(got)-1)].err)
			}
			if string(got[0].text) != "a: 1\n" || string(got[2].text) != "---\nc: 3\n" {
				t.Errorf("the other documents are %q and %q", got[0].text, got[2].text)
			}
			if want := 1 + strings.Count(strings.TrimSuffix(in, "---\nc: 3\n"), "\n"); got[2].line != want {
				t.Errorf("the document behind begins at line %d, not %d", got[2].line, want)
			}
		})
	}
}

// FuzzSplit: the chunks of a stream are the stream.
func FuzzSplit(f *testing.F) {
	f.Add([]byte("a: 1\n---\n{}\n{}\n...\n\ufeffb"))
	f.Add([]byte("{\"a\":1}\r\n{\"b\":[\"\\\"\"]}\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var all []byte
		for _, c := range chunks(t, bytes.NewReader(in), 1<<20) {
			if len(c.text) == 0 {
				t.Fatalf("an empty chunk in %q", in)
			}
			all = append(all, c.text...)
		}
		if !bytes.Equal(all, in) {
			t.Fatalf("%q became %q", in, all)
		}
	})
}
