package rolemanifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpandTemplate(t *testing.T) {
	variables := map[string]string{"prefix": "shop", "tag": "7"}
	for _, c := range []struct{ template, want, err string }{
		{template: "registry.example.org/{prefix}-{role}:{tag}", want: "registry.example.org/shop-agent:7"},
		{template: "{role}{role}", want: "agentagent"},
		{template: "plain", want: "plain"},
		{template: "{tga}", err: `image template "{tga}": nothing is set for {tga}: set it, or use one of "prefix", "tag", "role"`},
		{template: "a{role", err: `image template "a{role": a brace is left open: close it`},
	} {
		got, err := ExpandTemplate(c.template, "agent", variables)
		if got != c.want || errorText(err) != c.err {
			t.Errorf("ExpandTemplate(%q) = %q, %q; want %q, %q", c.template, got, errorText(err), c.want, c.err)
		}
	}
}

func TestParseImagesFile(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       map[string]string
		err        string
	}{
		{"empty", "", map[string]string{}, ""},
		{"lines", "# all\n\nagent: example.org/agent:1\nmeter:example.org/meter@sha256:ab # pinned\r\n\"x\": 'example.org/x:1'\n", map[string]string{"agent": "example.org/agent:1", "meter": "example.org/meter@sha256:ab", "x": "example.org/x:1"}, ""},
		{"the same twice", "a: x:1\na: x:1\n", map[string]string{"a": "x:1"}, ""},
		{
			"faults", "agent\nb: \nexample.org/c: 1\na: x:1\na: x:2\nd: e f\n", nil,
			"images file: line 1: \"agent\" is not `name: image`; line 2: \"b:\" is not `name: image`; line 3: \"example.org/c: 1\" is not `name: image`; line 5: \"a\" is given again with another image, first in line 4; line 6: \"d: e f\" is not `name: image`: write one `name: image` a line",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseImagesFile([]byte(c.data))
			if errorText(err) != c.err {
				t.Errorf("error %q, want %q", errorText(err), c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseImageFlag(t *testing.T) {
	role, image, err := ParseImageFlag("agent=example.org/agent@sha256:ab=")
	if role != "agent" || image != "example.org/agent@sha256:ab=" || err != nil {
		t.Errorf("got %q, %q, %v", role, image, err)
	}
	for _, bad := range []string{"", "agent", "=x:1", "agent=", "agent=a b"} {
		if _, _, err := ParseImageFlag(bad); err == nil {
			t.Errorf("ParseImageFlag(%q) gives no error", bad)
		}
	}
}

func TestWhichImageWins(t *testing.T) {
	i := Images{
		Explicit: map[string]string{"a": "explicit"}, File: map[string]string{"a": "file", "b": "file"},
		Template: "template/{role}",
	}
	for _, c := range []struct {
		role, written string
		want          ImageChoice
	}{
		{"a", "written", ImageChoice{"a", "explicit", ImageExplicit}},
		{"b", "written", ImageChoice{"b", "file", ImageFile}},
		{"c", "written", ImageChoice{"c", "written", ImageManifest}},
		{"c", "", ImageChoice{"c", "template/c", ImageTemplate}},
	} {
		got, err := i.choose(c.role, c.written)
		if got != c.want || err != nil {
			t.Errorf("choose(%q, %q) = %v, %v; want %v", c.role, c.written, got, err, c.want)
		}
	}
	if got, _ := (Images{}).choose("a", ""); got.Image != "" {
		t.Errorf("an image out of nothing: %v", got)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
