package plan

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

const sidecarManifest = "../../examples/sidecar/role-manifest.yml"

// nginx is a pod of the example's role.
func nginx(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Annotations: map[string]string{injector.RoleAnnotation: "nginx"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "example.org/nginx:1"}}},
	}
}

// addHook installs another mutating webhook for pods, whose name decides whether
// it is called before or after colocate. patch gives its JSON patch, "" for none.
func addHook(t *testing.T, i *product.Installation, name string, patch func(*corev1.Pod) string) {
	t.Helper()
	called := &atomic.Bool{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		var pod corev1.Pod
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := json.Unmarshal(review.Request.Object.Raw, &pod); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		called.Store(true)
		answer := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		if text := patch(&pod); text != "" {
			kind := admissionv1.PatchTypeJSONPatch
			answer.Patch, answer.PatchType = []byte(text), &kind
		}
		review.Request, review.Response = nil, answer
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	none, ifNeeded, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.IfNeededReinvocationPolicy, admissionregistrationv1.Fail
	hook := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: name + ".example.org", AdmissionReviewVersions: []string{"v1"}, SideEffects: &none, ReinvocationPolicy: &ifNeeded, FailurePolicy: &fail,
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &server.URL, CABundle: ca},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}},
		}},
	}
	hooks := i.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	if _, err := hooks.Create(t.Context(), hook, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Client.AdmissionregistrationV1().MutatingWebhookConfigurations().Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	awaitCall(t, i, called)
}

// awaitCall waits until the API server has learned of a hook that was just installed.
func awaitCall(t *testing.T, i *product.Installation, called *atomic.Bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !called.Load() {
		pod := nginx("wait")
		pod.Annotations = nil
		if _, err := i.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("the API server does not call the other webhook")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func names(list []corev1.Container) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

func store(t *testing.T, i *product.Installation, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	created, err := i.Client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// TestAmongOthers has other webhooks, admission plugins and people change the pods
// that colocate injects.
func TestAmongOthers(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{Flags: []string{"--enable-admission-plugins=AlwaysPullImages,LimitRanger"}})
	i.Define(t, sidecarManifest)
	hash := awaitRole(t, i, "nginx")
	t.Run("a webhook after ours adds a container", func(t *testing.T) {
		addHook(t, i, "zz-adds", func(pod *corev1.Pod) string {
			if strings.Contains(names(pod.Spec.Containers), "late") {
				return ""
			}
			return `[{"op":"add","path":"/spec/containers/-","value":{"name":"late","image":"example.org/late:1"}}]`
		})
		if got := names(store(t, i, nginx("with-late")).Spec.Containers); got != "nginx log-forwarder late" {
			t.Errorf("containers: %s", got)
		}
	})
	t.Run("a webhook after ours adds the annotation", func(t *testing.T) {
		addHook(t, i, "zz-annotates", func(pod *corev1.Pod) string {
			if pod.Annotations[injector.RoleAnnotation] != "" {
				return ""
			}
			return `[{"op":"add","path":"/metadata/annotations","value":{"colocate.dev/role":"nginx"}}]`
		})
		pod := nginx("too-late")
		pod.Annotations = nil
		created := store(t, i, pod)
		// What the API server does not send the first time it does not send again.
		if got := names(created.Spec.Containers); got != "nginx" || created.Annotations[injector.RoleAnnotation] != "nginx" {
			t.Errorf("containers: %s, annotations %v: the API server calls us now; say so in the documents", got, created.Annotations)
		}
	})
	t.Run("everybody changes our container", func(t *testing.T) { changedByAll(t, i) })
	t.Run("a pod injected offline under older definitions", func(t *testing.T) { outdated(t, i, hash) })
	t.Run("kubectl debug and updates", func(t *testing.T) { afterwards(t, i) })
	t.Run("a dry run leaves nothing", func(t *testing.T) {
		pod := nginx("dry")
		if _, err := i.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Fatal(err)
		}
		if _, err := i.Client.CoreV1().Pods("default").Get(t.Context(), "dry", metav1.GetOptions{}); err == nil {
			t.Error("the pod exists")
		}
	})
}

// awaitRole waits until the role is loaded and returns its hash.
func awaitRole(t *testing.T, i *product.Installation, role string) string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		pod := nginx("wait")
		pod.Annotations[injector.RoleAnnotation] = role
		got, err := i.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			status, err := injector.ParseStatus([]byte(got.Annotations[injector.StatusAnnotation]))
			if err != nil {
				t.Fatal(err)
			}
			return status.Hash
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// changedByAll: LimitRanger, AlwaysPullImages and a webhook that rewrites images
// change our container between our two calls; it stays the only one.
func changedByAll(t *testing.T, i *product.Installation) {
	if err := i.Server.CreateNamespace(t.Context(), "limited", nil); err != nil {
		t.Fatal(err)
	}
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type:           corev1.LimitTypeContainer,
		Default:        corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("1Gi")},
		DefaultRequest: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("64Mi")},
	}}}}
	if _, err := i.Client.CoreV1().LimitRanges("limited").Create(t.Context(), limits, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	addHook(t, i, "zz-rewrites", func(pod *corev1.Pod) string {
		var ops []string
		for n, c := range pod.Spec.Containers {
			if !strings.HasPrefix(c.Image, "mirror.example.org/") {
				ops = append(ops, `{"op":"replace","path":"/spec/containers/`+string(rune('0'+n))+`/image","value":"mirror.example.org/`+c.Name+`:1"}`)
			}
		}
		if len(ops) == 0 {
			return ""
		}
		return "[" + strings.Join(ops, ",") + "]"
	})
	var pod *corev1.Pod
	deadline := time.Now().Add(10 * time.Second)
	for n := 0; ; n++ { // the API server learns of the LimitRange in its own time
		p := nginx("everything-" + string(rune('a'+n)))
		p.Namespace = "limited"
		pod = store(t, i, p)
		if !pod.Spec.Containers[0].Resources.Limits.Cpu().IsZero() || time.Now().After(deadline) {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	if got := names(pod.Spec.Containers); got != "nginx log-forwarder" {
		t.Fatalf("containers: %s", got)
	}
	ours := pod.Spec.Containers[1]
	if ours.Image != "mirror.example.org/log-forwarder:1" || ours.ImagePullPolicy != corev1.PullAlways || ours.Resources.Limits.Cpu().String() != "8" {
		t.Errorf("nobody changed our container: image %s, pull policy %s, limits %v", ours.Image, ours.ImagePullPolicy, ours.Resources.Limits)
	}
}

// hearing collects admission warnings.
type hearing struct {
	mu   sync.Mutex
	text []string
}

// HandleWarningHeader notes a warning.
func (h *hearing) HandleWarningHeader(_ int, _, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, text)
}

// outdated sends a pod that carries the container of an earlier definition.
func outdated(t *testing.T, i *product.Installation, hash string) {
	heard := &hearing{}
	config := i.Server.Config()
	config.WarningHandler = heard
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	pod := nginx("outdated")
	pod.Annotations[injector.StatusAnnotation] = strings.Replace(
		`{"v":1,"role":"nginx","hash":"HASH","containers":["log-forwarder"],"initContainers":[],"volumes":["common-share"],"mounts":{"nginx":["/mnt/share"]}}`,
		"HASH", "sha256:"+strings.Repeat("0", 64), 1)
	pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "log-forwarder", Image: "example.org/log-forwarder:1.0"})
	created, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := created.Spec.Containers[1].Image; got != "example.org/log-forwarder:1.0" {
		t.Errorf("the container was changed: %s", got)
	}
	if all := strings.Join(heard.text, "\n"); !strings.Contains(all, string(injector.ReasonOutdated)) {
		t.Errorf("warnings: %s", all)
	}
	if strings.Contains(created.Annotations[injector.StatusAnnotation], hash) {
		t.Errorf("the status claims the current definitions: %s", created.Annotations[injector.StatusAnnotation])
	}
}

// afterwards does to a running pod what people do; the webhook is not asked.
func afterwards(t *testing.T, i *product.Installation) {
	pod := store(t, i, nginx("debugged"))
	before := i.Admissions(t)
	pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debugger", Image: "example.org/shell:1"}}}
	if _, err := i.Client.CoreV1().Pods("default").UpdateEphemeralContainers(t.Context(), pod.Name, pod, metav1.UpdateOptions{}); err != nil {
		t.Errorf("kubectl debug: %v", err)
	}
	if _, err := i.Client.CoreV1().Pods("default").Patch(t.Context(), pod.Name, types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{}); err != nil {
		t.Errorf("update: %v", err)
	}
	if after := i.Admissions(t); after != before {
		t.Errorf("the webhook was asked about a pod that exists:\n%s\nbefore:\n%s", after, before)
	}
}
