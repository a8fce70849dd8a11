package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
)

// workload is a Pod, or a workload with a pod template, that the API server takes;
// own are the annotations of the object, template those of its pods.
func workload(apiVersion, kind, name string, own, template map[string]any) *unstructured.Unstructured {
	container := map[string]any{
		"name": "main", "image": "example.org/main:1",
		"securityContext": map[string]any{
			"allowPrivilegeEscalation": false, "runAsNonRoot": true,
			"capabilities":   map[string]any{"drop": []any{"ALL"}},
			"seccompProfile": map[string]any{"type": "RuntimeDefault"},
		},
	}
	podSpec := map[string]any{"containers": []any{container}}
	if kind == "Job" || kind == "CronJob" {
		podSpec["restartPolicy"] = "Never"
	}
	pod := map[string]any{"metadata": metadata("", template), "spec": podSpec}
	var spec map[string]any
	switch kind {
	case "Pod":
		spec = podSpec
		if _, isMirror := own[injector.MirrorAnnotation]; isMirror {
			// Only a kubelet may create one, and it has no service account.
			podSpec["nodeName"] = "node"
		}
	case "Job":
		spec = map[string]any{"template": pod}
	case "CronJob":
		spec = map[string]any{
			"schedule":    "0 0 * * *",
			"jobTemplate": map[string]any{"spec": map[string]any{"template": pod}},
		}
	default:
		labels := map[string]any{"app": name}
		pod["metadata"].(map[string]any)["labels"] = labels
		spec = map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": pod}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": metadata(name, own), "spec": spec,
	}}
}

func metadata(name string, annotations map[string]any) map[string]any {
	meta := map[string]any{}
	if name != "" {
		meta["name"] = name
	}
	if annotations != nil {
		meta["annotations"] = annotations
	}
	return meta
}

// configMap is one with the label that marks definitions.
func configMap(name, version string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "labels": map[string]any{injector.DefinitionsLabel: version}},
	}}
}

// create sends an object through admission without storing it.
func create(t *testing.T, server *apiserver.Server, namespace string, object *unstructured.Unstructured) {
	t.Helper()
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	kind := object.GroupVersionKind()
	resource := kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
	_, err = client.Resource(resource).Namespace(namespace).
		Create(t.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatalf("create %s %q in namespace %q: %v", kind.Kind, object.GetName(), namespace, err)
	}
}

// decode reads the object of a kind and name among objects, strictly.
func decode(t *testing.T, objects []*unstructured.Unstructured, kind, name string, into runtime.Object) {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() != kind || object.GetName() != name {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, into, true); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no %s %q among the objects", kind, name)
}

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}
