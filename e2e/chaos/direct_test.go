package chaos

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

// direct calls replica n as an API server would, and returns the patch.
func (c *cluster) direct(ctx context.Context, n int) (string, error) {
	review := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",` +
		`"resource":{"group":"","version":"v1","resource":"pods"},"object":{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},` +
		`"spec":{"containers":[{"name":"nginx","image":"example.org/nginx:1"}]}}}}`
	url := fmt.Sprintf("https://%s:%d%s", c.address, c.replica(n).Port, injector.PathMutate)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(review)))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	// The certificate is not what is tested here.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}, DisableKeepAlives: true} //nolint:gosec // see above
	response, err := (&http.Client{Transport: transport, Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer admissionv1.AdmissionReview
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	if answer.Response == nil || !answer.Response.Allowed {
		return "", fmt.Errorf("refused: %+v", answer.Response)
	}
	return string(answer.Response.Patch), nil
}

// TestCutOff takes the API server away from the replicas: they go on serving with
// what they have, and are still ready.
func TestCutOff(t *testing.T) {
	c := newCluster(t, apiserver.Options{})
	c.server.KillAPIServer()
	for n := range replicas {
		for range 20 {
			if err := c.replica(n).Ready(t.Context()); err != nil {
				t.Errorf("replica %d without an API server: %v", n, err)
			}
			if patch, err := c.direct(t.Context(), n); err != nil || !strings.Contains(patch, "log-forwarder") {
				t.Errorf("replica %d without an API server: %v, patch %q", n, err, patch)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	if err := c.server.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.waitServing(t)
}

// TestUpdateIsLiveInASecond changes a definition twenty times and looks how long it
// takes until every replica gives the new one.
func TestUpdateIsLiveInASecond(t *testing.T) {
	c := newCluster(t, apiserver.Options{})
	maps := c.client.CoreV1().ConfigMaps(manifests.Namespace)
	slowest := time.Duration(0)
	for i := range 20 {
		cm, err := maps.Get(t.Context(), injector.DefinitionsName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		image := fmt.Sprintf("example.org/log-forwarder:update-%d", i)
		before, after, found := strings.Cut(cm.Data["log-forwarder.yaml"], "image: ")
		_, rest, ended := strings.Cut(after, "\n")
		if !found || !ended {
			t.Fatalf("no image in %q", cm.Data["log-forwarder.yaml"])
		}
		cm.Data["log-forwarder.yaml"] = before + "image: " + image + "\n" + rest
		if _, err := maps.Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		written := time.Now()
		for n := range replicas {
			for {
				patch, err := c.direct(t.Context(), n)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(patch, image) {
					break
				}
				if time.Since(written) > 10*time.Second {
					t.Fatalf("replica %d still gives %s", n, patch)
				}
				time.Sleep(2 * time.Millisecond)
			}
		}
		slowest = max(slowest, time.Since(written))
	}
	t.Logf("slowest of 20 updates until all %d replicas gave it: %s", replicas, slowest.Round(time.Millisecond))
	if slowest > time.Second {
		t.Errorf("an update took %s until every replica gave it, more than a second", slowest)
	}
}
