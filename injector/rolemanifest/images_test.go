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
		{"lines", "# all\n\nagent: example.org/agent:1\nmeter:example.org/meter@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef # pinned\r\n\"x\": 'example.org/x:1'\n", map[string]string{"agent": "example.org/agent:1", "meter": "example.org/meter@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "x": "example.org/x:1"}, ""},
		{"the same twice", "a: x:1\na: x:1\n", map[string]string{"a": "x:1"}, ""},
		{
			"faults", "agent\nb: \nexample.org/c: 1\na: x:1\na: x:2\nd: e f\n", nil,
			"images file: line 1: \"agent\" is not `name: image`; line 2: \"b:\" is not `name: image`; line 3: \"example.org/c: 1\" is not `name: image`; line 5: \"a\" is given again with another image, first in line 4; line 6: image \"e f\" of \"d\" cannot be one: it has a space in it: write one `name: image` a line",
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
	role, image, err := ParseImageFlag("agent=example.org/agent@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	if role != "agent" || image != "example.org/agent@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" || err != nil {
		t.Errorf("got %q, %q, %v", role, image, err)
	}
	for _, bad := range []string{"", "agent", "=x:1", "agent=", "agent=a b", "agent=example.org/Agent:1", "agent=x:1="} {
		if _, _, err := ParseImageFlag(bad); err == nil {
			t.Errorf("ParseImageFlag(%q) gives no error", bad)
		}
	}
}

func TestImageFault(t *testing.T) {
	for image, want := range map[string]string{
		"agent": "", "agent:1": "", "shop/agent": "", "localhost/agent": "", "example.org:5000/shop/agent:v1.2_3-rc": "",
		"Example.org/agent": "", "REGISTRY/agent": "", "[::1]:5000/agent": "", "a__b/c--d.e_f": "",
		"example.org/agent:1@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": "",
		"":                      "it is empty",
		"a b":                   "it has a space in it",
		"https://example.org/a": "it is a URL",
		"/agent":                "a part is missing",
		"agent:":                "a part is missing",
		"example.org/Agent:1":   `its path "Agent" has upper-case letters`,
		"Agent":                 `its path "Agent" has upper-case letters`,
		"example.org/a/_b":      `its path "a/_b" is none`,
		"example.org//a":        `its path "/a" is none`,
		"example.org:x/a":       `its registry "example.org:x" is none`,
		"agent:1:2":             `its path "agent:1" is none`,
		"agent:-1":              `its tag "-1" is none`,
		"agent:ü":               `its tag "ü" is none`,
		"agent@sha256:ab":       `its digest "sha256:ab" is none`,
		"agent@":                `its digest "" is none`,
		"((IMAGE))":             `its path "((IMAGE))" is none`,
		"{role}":                `its path "{role}" is none`,
	} {
		if got := imageFault(image); got != want {
			t.Errorf("imageFault(%q) = %q, want %q", image, got, want)
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
