package injector_test

import (
	"flag"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/e2e/golden"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/injector/rolemanifest"
)

var update = flag.Bool("update", false, "rewrite what the golden cases expect")

func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/cases", *update, func(t *testing.T, c golden.Case) golden.Result {
		s, _ := injector.Compile(definitionsOf(t, c))
		var p injector.Pod
		if err := injector.ReadPod(c.PodJSON, &p); err != nil {
			t.Fatal(err)
		}
		d := s.Plan(&p, injector.Creation())
		patch := d.AppendPatch(nil)
		decoded, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			t.Fatal(err)
		}
		after, err := decoded.Apply(c.PodJSON)
		if err != nil {
			t.Fatal(err)
		}
		return golden.Result{Outcome: d.Outcome.String(), Reason: string(d.Reason), Message: &d.Message, Warnings: &d.Warnings, Patch: patch, Pod: after}
	})
}

func definitionsOf(t *testing.T, c golden.Case) []injector.Definition {
	t.Helper()
	if c.RoleManifest != nil {
		r := rolemanifest.Read(golden.RoleManifest, c.RoleManifest, rolemanifest.Options{})
		for _, d := range r.Diagnostics {
			if d.Severity == rolemanifest.Error {
				t.Fatal(d)
			}
		}
		return r.Definitions
	}
	defs, faults := definition.Parse(c.Definitions, golden.Definitions)
	for _, f := range faults {
		t.Fatal(f)
	}
	return defs
}
