// Package e2e tests what is delivered against a real API server.
package e2e

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/manifests"
)

// TestBaseApplies has the API server judge the rendered base: every field is one
// that it knows, and a pod of the Deployment passes the Pod Security level that the
// namespace demands.
func TestBaseApplies(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Apply(t.Context(), rendered(t)...); err != nil {
		t.Fatal(err)
	}

	deployment, err := client.AppsV1().Deployments(manifests.Namespace).Get(t.Context(), "colocate", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := dryRun(t, client, podOf(deployment)); err != nil {
		t.Errorf("a pod of the Deployment is not admitted: %v", err)
	}
	privileged := podOf(deployment)
	privileged.Spec.HostNetwork = true
	if err := dryRun(t, client, privileged); !apierrors.IsForbidden(err) {
		t.Errorf("a pod with host network: got %v, want Pod Security to forbid it", err)
	}
}

// TestMisspeltFieldIsRefused makes sure that the test above can fail.
func TestMisspeltFieldIsRefused(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	objects, err := apiserver.Objects([]byte("apiVersion: v1\nkind: ServiceAccount\n" +
		"metadata: {name: a, namespace: default}\nautomountServiceAcountToken: false\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Apply(t.Context(), objects...); err == nil {
		t.Error("a field that does not exist was accepted")
	}
}

// podOf is a pod as the Deployment's controller would create it.
func podOf(deployment *appsv1.Deployment) *corev1.Pod {
	template := deployment.Spec.Template.DeepCopy()
	template.GenerateName = deployment.Name + "-"
	return &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
}

// dryRun has a pod go through admission without being stored.
func dryRun(t *testing.T, client kubernetes.Interface, pod *corev1.Pod) error {
	t.Helper()
	_, err := client.CoreV1().Pods(manifests.Namespace).
		Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
