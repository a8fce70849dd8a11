package podgen_test

import (
	"bytes"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"colocate.dev/colocate/e2e/podgen"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

func TestSameSeedSameBytes(t *testing.T) {
	a, b := podgen.New(5), podgen.New(5)
	for range 50 {
		if x, y := podgen.Definitions(a), podgen.Definitions(b); len(x) != len(y) || !bytes.Equal(x[0].JSON, y[0].JSON) {
			t.Fatal("definitions differ")
		}
		if x, y := podgen.Pod(a, []string{"web"}), podgen.Pod(b, []string{"web"}); !bytes.Equal(x, y) {
			t.Fatalf("%s\n%s", x, y)
		}
	}
	if bytes.Equal(podgen.Pod(podgen.New(1), []string{"web"}), podgen.Pod(podgen.New(2), []string{"web"})) {
		t.Error("two seeds give the same pod")
	}
}

// TestEverythingIsWellFormed: definitions load strictly and without a fault, pods
// have no field that Kubernetes does not know.
func TestEverythingIsWellFormed(t *testing.T) {
	r := podgen.New(6)
	for range 100 {
		var defs []injector.Definition
		for _, doc := range podgen.Definitions(r) {
			d, faults := definition.Decode(doc.Name+definition.Extension, doc.JSON, injector.Origin{Source: "podgen"})
			for _, f := range faults {
				if !f.Warning {
					t.Fatalf("%s: %v", doc.JSON, f)
				}
			}
			if doc.Main != (d.Role != nil) {
				t.Fatalf("%s: wrong kind", doc.JSON)
			}
			defs = append(defs, d)
		}
		if _, faults := injector.Compile(defs); len(faults) > 0 {
			t.Fatal(faults)
		}
		for range 10 {
			text := podgen.Pod(r, []string{"web"})
			var pod corev1.Pod
			strict, err := kjson.UnmarshalStrict(text, &pod)
			if err != nil || len(strict) > 0 || !json.Valid(text) {
				t.Fatalf("%s: %v %v", text, err, strict)
			}
		}
	}
}
