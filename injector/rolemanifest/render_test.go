package rolemanifest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rendered = Diagnostics{
	{File: "a.yml", Line: 2, Column: 9, Path: "roles[0].name", Severity: Error, Code: CodeNoImage, Message: `role "a" has <no> image`, Remedy: "set it"},
	{File: "a.yml", Line: 3, Column: 2, Severity: Warning, Code: CodeUnknownKey, Message: "100%\nsure\r", Remedy: "a, b: c"},
	{File: "a,b:c.yml", Line: 9, Column: 1, Severity: Note, Code: CodePodSecurity, Message: "beyond the source"},
}

func TestText(t *testing.T) {
	source := "\ufeffroles:\r\n- name: \"ä\"\r\n\tx: 1\x1b[0m\r\n"
	for _, c := range []struct {
		name   string
		source []byte
		color  bool
		want   string
	}{
		{"plain", []byte(source), false, "a.yml:2:9: error: role \"a\" has <no> image: set it (NoImage)\n  - name: \"ä\"\n          ^\n" +
			"a.yml:3:2: warning: 100%·sure·: a, b: c (UnknownKey)\n  \tx: 1·[0m\n  \t^\n" +
			"a,b:c.yml:9:1: note: beyond the source (PodSecurity)\n"},
		{"without a source", nil, false, "a.yml:2:9: error: role \"a\" has <no> image: set it (NoImage)\n" +
			"a.yml:3:2: warning: 100%·sure·: a, b: c (UnknownKey)\na,b:c.yml:9:1: note: beyond the source (PodSecurity)\n"},
		{"coloured", nil, true, "\x1b[1ma.yml:2:9:\x1b[0m \x1b[31merror:\x1b[0m role \"a\" has <no> image: set it \x1b[2m(NoImage)\x1b[0m\n" +
			"\x1b[1ma.yml:3:2:\x1b[0m \x1b[33mwarning:\x1b[0m 100%·sure·: a, b: c \x1b[2m(UnknownKey)\x1b[0m\n" +
			"\x1b[1ma,b:c.yml:9:1:\x1b[0m \x1b[34mnote:\x1b[0m beyond the source \x1b[2m(PodSecurity)\x1b[0m\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Text(&b, rendered, c.source, c.color); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLongLinesAreCut(t *testing.T) {
	line := strings.Repeat("0123456789", 100)
	for _, column := range []int{1, 61, 500, 1000, 1001, 5000} {
		text, pad := excerpt(line, column)
		if len(text) != maxExcerpt {
			t.Errorf("column %d: %d characters", column, len(text))
		}
		if column <= 1000 && text[len(pad)] != line[column-1] {
			t.Errorf("column %d: the caret is under %q, not under %q", column, text[len(pad)], line[column-1])
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, rendered[:2]); err != nil {
		t.Fatal(err)
	}
	want := `[
  {"file":"a.yml","line":2,"column":9,"path":"roles[0].name","severity":"error","code":"NoImage","message":"role \"a\" has <no> image","remedy":"set it"},
  {"file":"a.yml","line":3,"column":2,"path":"","severity":"warning","code":"UnknownKey","message":"100%\nsure\r","remedy":"a, b: c"}
]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := JSON(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("nothing is %q, %v", b.String(), err)
	}
}

func TestGitHub(t *testing.T) {
	var b bytes.Buffer
	if err := GitHub(&b, rendered); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a.yml,line=2,col=9,title=NoImage::role \"a\" has <no> image: set it\n" +
		"::warning file=a.yml,line=3,col=2,title=UnknownKey::100%25%0Asure%0D: a, b: c\n" +
		"::notice file=a%2Cb%3Ac.yml,line=9,col=1,title=PodSecurity::beyond the source\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
