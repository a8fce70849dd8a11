package webhook

import (
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/e2e/golden"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/injector/rolemanifest"
)

// TestGolden sends the core's cases over HTTP: what comes out of the answer is
// what comes out of a plan.
func TestGolden(t *testing.T) {
	golden.Run(t, "../injector/testdata/cases", false, func(t *testing.T, c golden.Case) golden.Result {
		snapshot, _ := injector.Compile(definitionsOf(t, c))
		h, _ := podsFor(snapshot, silent())
		w := post(h, strings.NewReader(review(string(c.PodJSON))))
		a := decodeAnswer(t, w.Body.Bytes()).Response
		r := golden.Result{Outcome: injector.Refused.String(), Reason: a.AuditAnnotations["reason"], Warnings: &a.Warnings}
		switch reason := injector.Reason(r.Reason); {
		case !a.Allowed:
			r.Message = &a.Status.Message
			return r
		case reason == injector.ReasonInjected || reason == injector.ReasonAlreadyInjected || reason == injector.ReasonOutdated:
			r.Outcome, r.Message = injector.Injected.String(), new(string)
		default:
			r.Outcome = injector.Untouched.String() // why is not said to those whose pod is as they wrote it
		}
		r.Patch, r.Pod = a.Patch, c.PodJSON
		if len(a.Patch) > 0 {
			patch, err := jsonpatch.DecodePatch(a.Patch)
			if err != nil {
				t.Fatal(err)
			}
			if r.Pod, err = patch.Apply(c.PodJSON); err != nil {
				t.Fatal(err)
			}
		}
		return r
	})
}

func definitionsOf(t *testing.T, c golden.Case) []injector.Definition {
	t.Helper()
	if c.RoleManifest != nil {
		return rolemanifest.Read(golden.RoleManifest, c.RoleManifest, rolemanifest.Options{}).Definitions
	}
	defs, faults := definition.Parse(c.Definitions, golden.Definitions)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return defs
}

// FuzzPods sends whatever comes to mind: the answer is one of a few codes, and
// where it is one of admission, it is JSON with the uid and both or none of patch
// and patchType.
func FuzzPods(f *testing.F) {
	for _, pod := range []string{podJSON(asksForNginx), podJSON(""), `null`, `{"metadata":null,"spec":[]}`} {
		f.Add([]byte(review(pod)))
	}
	f.Add([]byte(strings.Replace(review(podJSON(asksForNginx)), "705ab4f5", `\u0000\"é`, 1)))
	f.Add([]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":7}}`))
	f.Add([]byte(`{"kind":"AdmissionReview"`))
	h, _ := podsFor(snapshotOf(f, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument), silent())
	f.Fuzz(func(t *testing.T, body []byte) {
		w := post(h, strings.NewReader(string(body)))
		switch w.Code {
		case 200:
			a := decodeAnswer(t, w.Body.Bytes()).Response
			if a.UID == "" || (len(a.Patch) > 0) != (a.PatchType != nil) || a.AuditAnnotations["reason"] == "" || !a.Allowed && a.Status.Message == "" {
				t.Errorf("answer %s", w.Body)
			}
		case 400:
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
