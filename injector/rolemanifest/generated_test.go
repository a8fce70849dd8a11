package rolemanifest

import (
	"strings"
	"testing"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// The generated documents are committed; a stale one fails here.
func TestGeneratedDocuments(t *testing.T) {
	golden(t, "../../docs/role-manifest.md", Docs())
	golden(t, "../../docs/role-manifest.schema.json", Schema())
}

// The examples of the reference are manifests without errors and warnings.
func TestExamplesOfTheReference(t *testing.T) {
	_, rest, _ := strings.Cut(docsIntro, "```yaml\n")
	for n := 1; rest != ""; n++ {
		var example string
		example, rest, _ = strings.Cut(rest, "```")
		for _, d := range Read("example.yml", []byte(example), Options{}).Diagnostics {
			if d.Severity != Note {
				t.Errorf("example %d: %s\n%s", n, d, example)
			}
		}
		_, rest, _ = strings.Cut(rest, "```yaml\n")
	}
}

// Entries of the table are complete and agree with each other.
func TestKeyTable(t *testing.T) {
	for _, k := range Keys() {
		at := k.Name + " in " + string(k.In[0])
		if k.Handling == "" || k.Type == "" {
			t.Errorf("%s: no handling or type", at)
		}
		if k.Handling == Honoured && k.Means == "" {
			t.Errorf("%s: does not say what it means", at)
		}
		if (k.Type == Mapping || k.Type == MappingList) != (k.Of != "") {
			t.Errorf("%s: a mapping says what it is of, others do not", at)
		}
		if k.Handling == Superseded && k.Is == "" || k.Handling == Misplaced && k.Instead == "" {
			t.Errorf("%s: does not say what to write instead", at)
		}
		if k.Example != "" {
			root, errs := yamldoc.Parse([]byte(k.Example), yamldoc.Options{})
			if errs.Err() != nil || root.Content[0].Value == "" {
				t.Errorf("%s: the example %q is not YAML: %v", at, k.Example, errs)
			}
		}
	}
}
