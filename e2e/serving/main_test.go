// Package serving holds what happens between a real API server and a webhook that
// runs for long: definitions that change, break and vanish, and what people are
// told when they write them or a workload.
package serving

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// forwarder is a colocated container's document with the given image.
func forwarder(image string) string {
	return `apiVersion: colocate.dev/v1
kind: ColocatedContainer
metadata: {name: log-forwarder}
spec:
  container:
    name: log-forwarder
    image: ` + image + `
    resources: {requests: {memory: 64Mi, cpu: 100m}}
`
}

// role is a main role's document that colocates the named containers.
func role(name string, colocated ...string) string {
	return `apiVersion: colocate.dev/v1
kind: Role
metadata: {name: ` + name + `}
spec: {colocated: [` + strings.Join(colocated, ", ") + `]}
`
}

const broken = "apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: nginx}\nspec:\n\tcolocated: []\n"

// configMap takes pairs of key and document.
func configMap(name string, pairs ...string) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: injector.Namespace, Name: name, Labels: definition.Labels()},
		Data:       map[string]string{},
	}
	for i := 0; i < len(pairs); i += 2 {
		cm.Data[pairs[i]] = pairs[i+1]
	}
	return cm
}

// write creates or updates a ConfigMap.
func write(t *testing.T, i *product.Installation, cm *corev1.ConfigMap) error {
	t.Helper()
	configMaps := i.Client.CoreV1().ConfigMaps(cm.Namespace)
	_, err := configMaps.Update(t.Context(), cm, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = configMaps.Create(t.Context(), cm, metav1.CreateOptions{})
	}
	return err
}

func mustWrite(t *testing.T, i *product.Installation, cm *corev1.ConfigMap) {
	t.Helper()
	if err := write(t, i, cm); err != nil {
		t.Fatal(err)
	}
}

// try creates a pod of the role, dry run, and returns its containers' images.
func try(ctx context.Context, i *product.Installation, role string) (images string, err error) {
	no := false
	p, err := i.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "x-", Annotations: map[string]string{injector.RoleAnnotation: role}},
		Spec:       corev1.PodSpec{AutomountServiceAccountToken: &no, Containers: []corev1.Container{{Name: "main", Image: "example.org/main:1"}}},
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return "", err
	}
	for _, c := range p.Spec.Containers {
		images += c.Image + " "
	}
	return images, nil
}

// await polls until a pod of the role gets, or is told, what contains want, and
// returns how long that took.
func await(t *testing.T, i *product.Installation, role, want string) time.Duration {
	t.Helper()
	begin := time.Now()
	for {
		got, err := try(t.Context(), i, role)
		if err != nil {
			got = err.Error()
		}
		if strings.Contains(got, want) {
			return time.Since(begin)
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatalf("a pod of role %q still gets %s, not %s", role, got, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// hearing is a client that collects warnings.
type hearing struct {
	kubernetes.Interface
	mu       sync.Mutex
	warnings []string
}

func newHearing(t *testing.T, config *rest.Config) *hearing {
	t.Helper()
	h := &hearing{}
	config = rest.CopyConfig(config)
	config.WarningHandler = h
	var err error
	if h.Interface, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	return h
}

// HandleWarningHeader is [rest.WarningHandler].
func (h *hearing) HandleWarningHeader(_ int, _ string, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warnings = append(h.warnings, text)
}

// take gives the warnings since the last time.
func (h *hearing) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.warnings
	h.warnings = nil
	return all
}
