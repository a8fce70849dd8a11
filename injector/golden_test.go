package injector_test

import (
	"flag"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/e2e/golden"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

var update = flag.Bool("update", false, "rewrite what the golden cases expect")

func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/cases", *update, func(t *testing.T, c golden.Case) golden.Result {
		defs, faults := definition.Parse(c.Definitions, golden.Definitions)
		for _, f := range faults {
			t.Fatal(f)
		}
		s, _ := injector.Compile(defs)
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
