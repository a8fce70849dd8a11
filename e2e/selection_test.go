package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

// recorder stands in for the webhook: it allows everything and notes what it was
// asked.
type recorder struct {
	mu    sync.Mutex
	calls []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, fmt.Sprintf("no review: %v", err), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.calls = append(r.calls, request.URL.Path+" "+review.Request.Namespace+"/"+review.Request.Name)
	r.mu.Unlock()
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// about gives the paths that were called for one object, sorted and without
// repetitions, and forgets them.
func (r *recorder) about(object string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var paths []string
	for _, call := range r.calls {
		if path, found := strings.CutSuffix(call, " "+object); found {
			paths = append(paths, path)
		}
	}
	r.calls = nil
	slices.Sort(paths)
	return slices.Compact(paths)
}

// startRecorder installs the delivered webhook configurations, pointed at a
// recorder, and returns when the API server calls it.
func startRecorder(t *testing.T, server *apiserver.Server) *recorder {
	t.Helper()
	recorder := &recorder{}
	endpoint := httptest.NewTLSServer(recorder)
	t.Cleanup(endpoint.Close)
	objects := rendered(t)
	if err := apiserver.PointWebhooksAt(endpoint.URL, pemOf(endpoint.Certificate()), objects...); err != nil {
		t.Fatal(err)
	}
	if err := server.Apply(t.Context(), objects...); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		probe := workload("v1", "Pod", "probe", map[string]any{injector.RoleAnnotation: "any"}, nil)
		create(t, server, "default", probe)
		if len(recorder.about("default/probe")) > 0 {
			return recorder
		}
		if time.Now().After(deadline) {
			t.Fatal("the API server did not call the webhook within 20 s of its configuration")
		}
	}
}

// TestWhoIsAsked has the API server decide, by the delivered selectors and
// conditions, which requests are sent to the webhook: a pod that does not ask must
// never be, or an outage would hold it up.
func TestWhoIsAsked(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	for name, labels := range map[string]map[string]string{
		"team":      nil,
		"opted-out": {injector.InjectionLabel: injector.InjectionDisabled},
		"opted-in":  {injector.InjectionLabel: "enabled"},
	} {
		if err := server.CreateNamespace(t.Context(), name, labels); err != nil {
			t.Fatal(err)
		}
	}
	recorder := startRecorder(t, server)
	if err := server.EnsureServiceAccount(t.Context(), manifests.Namespace); err != nil {
		t.Fatal(err)
	}

	role := map[string]any{injector.RoleAnnotation: "nginx"}
	mirror := map[string]any{injector.RoleAnnotation: "nginx", injector.MirrorAnnotation: "x"}
	other := map[string]any{"example.org/other": "x"}
	for _, test := range []struct {
		namespace string
		object    *unstructured.Unstructured
		want      []string
	}{
		{"team", workload("v1", "Pod", "bare", nil, nil), nil},
		{"team", workload("v1", "Pod", "other", other, nil), nil},
		{"team", workload("v1", "Pod", "asks", role, nil), []string{injector.PathMutate}},
		{"opted-in", workload("v1", "Pod", "asks", role, nil), []string{injector.PathMutate}},
		{"opted-out", workload("v1", "Pod", "asks", role, nil), nil},
		{"team", workload("v1", "Pod", "mirror", mirror, nil), nil},
		{"kube-system", workload("v1", "Pod", "asks", role, nil), nil},
		{manifests.Namespace, workload("v1", "Pod", "asks", role, nil), nil},

		{"team", workload("apps/v1", "Deployment", "bare", nil, nil), nil},
		{"team", workload("apps/v1", "Deployment", "template", nil, role), []string{injector.PathWorkloads}},
		{"team", workload("apps/v1", "Deployment", "misplaced", role, nil), []string{injector.PathWorkloads}},
		{"team", workload("apps/v1", "StatefulSet", "template", nil, role), []string{injector.PathWorkloads}},
		{"team", workload("apps/v1", "DaemonSet", "template", nil, role), []string{injector.PathWorkloads}},
		{"team", workload("apps/v1", "ReplicaSet", "template", nil, role), []string{injector.PathWorkloads}},
		{"team", workload("batch/v1", "Job", "bare", other, other), nil},
		{"team", workload("batch/v1", "Job", "template", nil, role), []string{injector.PathWorkloads}},
		{"team", workload("batch/v1", "CronJob", "bare", nil, nil), nil},
		{"team", workload("batch/v1", "CronJob", "template", nil, role), []string{injector.PathWorkloads}},
		{"team", workload("batch/v1", "CronJob", "misplaced", role, nil), []string{injector.PathWorkloads}},
		{"opted-out", workload("apps/v1", "Deployment", "template", nil, role), []string{injector.PathWorkloadsLeftOut}},
		{"opted-out", workload("apps/v1", "Deployment", "bare", nil, nil), nil},
		{"kube-system", workload("apps/v1", "Deployment", "template", nil, role), []string{injector.PathWorkloadsLeftOut}},
		{"kube-system", workload("apps/v1", "Deployment", "bare", nil, nil), nil},

		{manifests.Namespace, configMap("definitions", injector.DefinitionsVersion), []string{injector.PathDefinitions}},
		{manifests.Namespace, configMap("other", "v0"), nil},
		{"team", configMap("definitions", injector.DefinitionsVersion), nil},
	} {
		name := test.namespace + "/" + test.object.GetName()
		create(t, server, test.namespace, test.object)
		if got := recorder.about(name); !slices.Equal(got, test.want) {
			t.Errorf("%s %s: the webhook was called at %q, want %q", test.object.GetKind(), name, got, test.want)
		}
	}
}

// TestNamesAgree compares the names in the YAML with those in the code.
func TestNamesAgree(t *testing.T) {
	if manifests.Namespace != injector.Namespace {
		t.Errorf("manifests say namespace %q, the code says %q", manifests.Namespace, injector.Namespace)
	}
	var mutating admissionregistrationv1.MutatingWebhookConfiguration
	var validating admissionregistrationv1.ValidatingWebhookConfiguration
	decode(t, rendered(t), "MutatingWebhookConfiguration", injector.Name, &mutating)
	decode(t, rendered(t), "ValidatingWebhookConfiguration", injector.Name, &validating)
	got := map[string]string{}
	for _, entry := range mutating.Webhooks {
		got[entry.Name] = *entry.ClientConfig.Service.Path
	}
	for _, entry := range validating.Webhooks {
		got[entry.Name] = *entry.ClientConfig.Service.Path
	}
	want := map[string]string{
		injector.PodsWebhook:             injector.PathMutate,
		injector.DefinitionsWebhook:      injector.PathDefinitions,
		injector.WorkloadsWebhook:        injector.PathWorkloads,
		injector.WorkloadsLeftOutWebhook: injector.PathWorkloadsLeftOut,
		injector.WorkloadsSystemWebhook:  injector.PathWorkloadsLeftOut,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("webhooks and their paths (-code +manifests):\n%s", diff)
	}
}
