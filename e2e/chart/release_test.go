package chart

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

// TestApplies has an API server judge every field of the chart, but for objects of
// foreign kinds, which equal those of the kustomizations.
func TestApplies(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	for _, args := range [][]string{
		nil,
		{"--set", "enforce=true,highAvailability=true,networkPolicy=true,certManager=true"},
		{"--set", "imagePullSecrets={registry},extraArgs={--log-level=debug},replicas=3", "--set-json", `tolerations=[{"operator":"Exists"}]`},
	} {
		if err := server.Apply(t.Context(), known(template(t, args...))...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestRelease has Helm install, upgrade and uninstall on an API server, in the way
// that people who know Helm would try first.
func TestRelease(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) {
		t.Helper()
		if _, err := helm(t, append(args, "--kubeconfig", server.Kubeconfig(), "--namespace", manifests.Namespace)...); err != nil {
			t.Fatal(err)
		}
	}
	hooks := client.AdmissionregistrationV1().MutatingWebhookConfigurations()

	do("install", release, chart, "--create-namespace")
	namespace, err := client.CoreV1().Namespaces().Get(t.Context(), manifests.Namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if level := namespace.Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
		t.Errorf("the namespace has Pod Security level %q, want restricted", level)
	}
	// As the program does it; any certificate will do.
	certificate := base64.StdEncoding.EncodeToString(server.Config().CAData)
	bundle := []byte(`[{"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"` + certificate + `"}]`)
	if _, err := hooks.Patch(t.Context(), injector.Name, types.JSONPatchType, bundle, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}

	do("upgrade", release, chart, "--set", "highAvailability=true,failurePolicy=Ignore")
	hook, err := hooks.Get(t.Context(), injector.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(hook.Webhooks[0].ClientConfig.CABundle) == 0 {
		t.Error("the upgrade took the caBundle away")
	}
	if policy := *hook.Webhooks[0].FailurePolicy; policy != "Ignore" {
		t.Errorf("after the upgrade failurePolicy is %s", policy)
	}
	deployment, err := client.AppsV1().Deployments(manifests.Namespace).Get(t.Context(), injector.Name, metav1.GetOptions{})
	if err != nil || *deployment.Spec.Replicas != 3 {
		t.Errorf("after the upgrade: %v, replicas %v, want 3", err, deployment.Spec.Replicas)
	}

	do("uninstall", release)
	if _, err := hooks.Get(t.Context(), injector.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the webhook configuration after uninstall: %v, want it gone", err)
	}
}

// TestNamespaceExampleApplies gives the example of another namespace to kubectl, as
// its first lines say.
func TestNamespaceExampleApplies(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	folder, err := apiserver.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	kubectl := filepath.Join(folder, "kubectl")
	out, err := exec.CommandContext(t.Context(), kubectl, "kustomize", "../../examples/namespace").Output()
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	for _, object := range known(read(t, out)) {
		text, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		stream.Write(append(text, "\n---\n"...))
	}
	path := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(path, stream.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	apply := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", server.Kubeconfig(), "apply", "--server-side", "--validate=strict", "-f", path)
	if output, err := apply.CombinedOutput(); err != nil {
		t.Errorf("kubectl apply: %v\n%s", err, output)
	}
}

// known are the objects of kinds that every API server has.
func known(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(objects, func(object *unstructured.Unstructured) bool {
		group := object.GroupVersionKind().Group
		return strings.HasPrefix(group, "cert-manager.") || strings.HasPrefix(group, "monitoring.")
	})
}
