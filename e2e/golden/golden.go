// Package golden runs the same cases through every way into a plan: the core
// itself, HTTP and the command line.
//
// A case is one txtar file:
//
//	definitions.yaml    ConfigMaps; or role-manifest.yml, a role manifest
//	pod.yaml            the pod, as YAML or JSON
//	want.reasons        outcome and reason; then the message and the warnings, one a line
//	want.patch.json     the patch, one operation a line; absent where there is none
//	want.pod.yaml       the pod after the patch; absent where it is refused or untouched
//
// Text above the first file says what the case shows.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"
)

// Names of the files of a case.
const (
	Definitions  = "definitions.yaml"
	RoleManifest = "role-manifest.yml"
	PodFile      = "pod.yaml"
	wantReasons  = "want.reasons"
	wantPatch    = "want.patch.json"
	wantPod      = "want.pod.yaml"
)

// Case is one file of cases.
type Case struct {
	// Name is the file's without its extension.
	Name string
	// Definitions is the ConfigMaps' YAML, RoleManifest the role manifest; one of
	// the two is set.
	Definitions, RoleManifest []byte
	// Pod is the pod as it was written, PodJSON the same as JSON.
	Pod, PodJSON []byte

	path    string
	archive *txtar.Archive
}

// Result is what one way into a plan gave. A way that does not tell everything
// leaves the rest at nil; Outcome is always compared.
type Result struct {
	// Outcome and Reason are those of the decision.
	Outcome, Reason string
	Message         *string
	Warnings        *[]string
	// Patch is the RFC 6902 document; empty or "[]" where nothing is added.
	Patch []byte
	// Pod is the pod afterwards, as YAML or JSON.
	Pod []byte
}

// Load reads the cases of a folder, in the order of their names.
func Load(dir string) ([]Case, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("golden: no cases in %q (%w)", dir, err)
	}
	slices.Sort(paths)
	var cases []Case
	for _, path := range paths {
		c, err := load(path)
		if err != nil {
			return nil, fmt.Errorf("golden: %s: %w", path, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func load(path string) (Case, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return Case{}, err
	}
	c := Case{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: archive}
	for _, f := range archive.Files {
		switch f.Name {
		case Definitions:
			c.Definitions = f.Data
		case RoleManifest:
			c.RoleManifest = f.Data
		case PodFile:
			c.Pod = f.Data
		case wantReasons, wantPatch, wantPod:
		default:
			return Case{}, fmt.Errorf("file %q has no meaning", f.Name)
		}
	}
	if c.Pod == nil || (c.Definitions == nil) == (c.RoleManifest == nil) {
		return Case{}, fmt.Errorf("a case has %s and either %s or %s", PodFile, Definitions, RoleManifest)
	}
	c.PodJSON, err = yaml.YAMLToJSON(c.Pod)
	return c, err
}

// Run runs every case of a folder. With update it rewrites the expectations
// instead of comparing; do must then give whole results.
func Run(t *testing.T, dir string, update bool, do func(*testing.T, Case) Result) {
	t.Helper()
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got, err := c.files(do(t, c))
			if err != nil {
				t.Fatal(err)
			}
			if update {
				c.write(t, got)
				return
			}
			c.compare(t, got)
		})
	}
}

// files renders a result; a file that the result says nothing of is nil, one
// that must not be there is empty.
func (c *Case) files(r Result) (map[string][]byte, error) {
	reasons := fmt.Sprintf("%s %s\n", r.Outcome, r.Reason)
	if r.Message != nil && *r.Message != "" {
		reasons += "message: " + *r.Message + "\n"
	}
	if r.Warnings != nil {
		for _, w := range *r.Warnings {
			reasons += "warning: " + w + "\n"
		}
	}
	out := map[string][]byte{wantReasons: []byte(reasons)}
	if r.Message == nil || r.Warnings == nil {
		out[wantReasons] = nil
		if first, _, _ := strings.Cut(string(c.want(wantReasons)), "\n"); first+"\n" != fmt.Sprintf("%s %s\n", r.Outcome, r.Reason) {
			return nil, fmt.Errorf("%s %s, want %s", r.Outcome, r.Reason, first)
		}
	}
	if r.Patch != nil {
		lines, err := patchLines(r.Patch)
		if err != nil {
			return nil, err
		}
		out[wantPatch] = lines
	}
	if r.Pod != nil {
		text, err := yaml.YAMLToJSON(r.Pod)
		if err != nil {
			return nil, err
		}
		if out[wantPod], err = yaml.JSONToYAML(text); err != nil {
			return nil, err
		}
		if r.Outcome != "injected" {
			out[wantPod] = []byte{}
		}
	}
	return out, nil
}

// patchLines writes one operation a line.
func patchLines(patch []byte) ([]byte, error) {
	var ops []json.RawMessage
	if err := json.Unmarshal(patch, &ops); err != nil {
		return nil, fmt.Errorf("patch %q: %w", patch, err)
	}
	if len(ops) == 0 {
		return []byte{}, nil
	}
	var b bytes.Buffer
	for i, op := range ops {
		if i == 0 {
			b.WriteString("[\n")
		} else {
			b.WriteString(",\n")
		}
		b.Write(op)
	}
	b.WriteString("\n]\n")
	return b.Bytes(), nil
}

func (c *Case) want(name string) []byte {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return []byte{}
}

func (c *Case) compare(t *testing.T, got map[string][]byte) {
	t.Helper()
	for _, name := range []string{wantReasons, wantPatch, wantPod} {
		if text := got[name]; text != nil {
			if diff := cmp.Diff(string(c.want(name)), string(text)); diff != "" {
				t.Errorf("%s: %s (-want +got); rewrite with: go test ./injector -run Golden -update\n%s", c.path, name, diff)
			}
		}
	}
}

func (c *Case) write(t *testing.T, got map[string][]byte) {
	t.Helper()
	kept := slices.DeleteFunc(slices.Clone(c.archive.Files), func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want.") })
	for _, name := range []string{wantReasons, wantPatch, wantPod} {
		if len(got[name]) > 0 {
			kept = append(kept, txtar.File{Name: name, Data: got[name]})
		}
	}
	text := txtar.Format(&txtar.Archive{Comment: c.archive.Comment, Files: kept})
	if err := os.WriteFile(c.path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
