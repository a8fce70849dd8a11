// Package overhttp runs the golden cases through the built binary: `colocate serve
// --definitions FILE` without a cluster, asked over HTTPS as an API server asks.
package overhttp

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"

	"colocate.dev/colocate/e2e/golden"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

func TestGolden(t *testing.T) {
	folder := t.TempDir()
	binary, err := product.Build(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	golden.Run(t, "../../injector/testdata/cases", false, func(t *testing.T, c golden.Case) golden.Result {
		definitions := filepath.Join(t.TempDir(), golden.Definitions)
		text := c.Definitions
		if c.RoleManifest != nil {
			text = c.RoleManifest
		}
		if err := os.WriteFile(definitions, text, 0o600); err != nil {
			t.Fatal(err)
		}
		replica, err := product.ServeReady(t.Context(), product.Options{
			Binary: binary, Log: filepath.Join(t.TempDir(), "log"), Flags: []string{"--definitions", definitions, "--grace-period", "0s"},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := replica.Stop(); err != nil {
				t.Errorf("the webhook ended with: %v\n%s", err, replica.Tail())
			}
		}()
		return ask(t, replica.Port, c.PodJSON)
	})
}

// ask posts a review twice, for the answer must be the same bytes, and reads it.
func ask(t *testing.T, port int, pod []byte) golden.Result {
	t.Helper()
	review := fmt.Appendf(nil, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"6d4b75cb","operation":"CREATE",`+
		`"resource":{"group":"","version":"v1","resource":"pods"},"namespace":"shop","object":%s}}`, pod)
	first, second := post(t, port, review), post(t, port, review)
	if !bytes.Equal(first, second) {
		t.Errorf("two answers to one review differ:\n%s\n%s", first, second)
	}
	var answer admissionv1.AdmissionReview
	if err := json.Unmarshal(first, &answer); err != nil {
		t.Fatalf("%v in %s", err, first)
	}
	r := answer.Response
	if r == nil || r.UID != "6d4b75cb" || (len(r.Patch) > 0) != (r.PatchType != nil) {
		t.Fatalf("answer: %s", first)
	}
	return result(t, r, pod)
}

func post(t *testing.T, port int, review []byte) []byte {
	t.Helper()
	// The certificate is not what is tested here.
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}, //nolint:gosec // see above
	}}
	url := fmt.Sprintf("https://127.0.0.1:%d%s", port, injector.PathMutate)
	response, err := client.Post(url, "application/json", bytes.NewReader(review))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %s", response.Status, err, body)
	}
	return body
}

func result(t *testing.T, r *admissionv1.AdmissionResponse, pod []byte) golden.Result {
	t.Helper()
	got := golden.Result{Warnings: &r.Warnings, Patch: r.Patch}
	got.Reason = r.AuditAnnotations["reason"] + r.AuditAnnotations["reason-again"]
	switch {
	case !r.Allowed:
		got.Outcome, got.Message = injector.Refused.String(), &r.Result.Message
		return got
	case injected(got.Reason):
		got.Outcome = injector.Injected.String()
	default:
		got.Outcome = injector.Untouched.String()
	}
	got.Pod = pod
	if len(r.Patch) > 0 {
		patch, err := jsonpatch.DecodePatch(r.Patch)
		if err != nil {
			t.Fatal(err)
		}
		if got.Pod, err = patch.Apply(pod); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

// injected tells the reasons of injected pods from those of pods left alone.
func injected(reason string) bool {
	switch injector.Reason(reason) {
	case injector.ReasonInjected, injector.ReasonAlreadyInjected, injector.ReasonOutdated:
		return true
	}
	return false
}
