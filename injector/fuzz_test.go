package injector

import (
	"testing"

	"colocate.dev/colocate/e2e/podgen"
)

// FuzzPod holds the scanner against encoding/json, and the plan for whatever it
// reads against the API server's patch library.
func FuzzPod(f *testing.F) {
	for _, pod := range oddPods {
		f.Add([]byte(pod))
	}
	r := podgen.New(3)
	for range 20 {
		f.Add(podgen.Pod(r, []string{"nginx"}))
	}
	s := snapshotOf(f, nginxRole, logForwarder)
	f.Fuzz(func(t *testing.T, pod []byte) {
		compareReaders(t, pod)
		var p Pod
		if ReadPod(pod, &p) != nil {
			return
		}
		d, after := judged(t, s, pod)
		if d.Outcome != Injected {
			return
		}
		if second, _ := judged(t, s, after); second.Outcome != Injected || second.Patches() {
			t.Errorf("second call on %s: %v %v %s %s", after, second.Outcome, second.Reason, second.Message, second.AppendPatch(nil))
		}
	})
}

// FuzzReview holds the scanner against encoding/json for whole reviews.
func FuzzReview(f *testing.F) {
	f.Add([]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","resource":{"group":"","version":"v1","resource":"pods"},"namespace":"a","operation":"CREATE","dryRun":true,"object":{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"i"}]}}}}`))
	f.Add([]byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"\u0041","subResource":"ephemeralcontainers","operation":"UPDATE","resource":null,"name":null,"object":{"spec":null}}}`))
	f.Add([]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"DELETE","object":null}}`))
	s := snapshotOf(f, nginxRole, logForwarder)
	f.Fuzz(func(t *testing.T, body []byte) {
		compareReviews(t, body)
		var r Request
		if ReadReview(body, &r) == nil {
			d := s.Plan(&r.Pod, r.Attributes())
			checkText(t, &d)
		}
	})
}
