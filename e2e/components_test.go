package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

// TestComponentsApply has the API server judge every set of components, those of
// foreign kinds by the CustomResourceDefinitions of the projects that define them.
func TestComponentsApply(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	installDefinitions(t, server)
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range subsets(manifests.Components()) {
		if err := server.Apply(t.Context(), rendered(t, set...)...); err != nil {
			t.Errorf("components %q: %v", set, err)
			continue
		}
		deployment, err := client.AppsV1().Deployments(manifests.Namespace).Get(t.Context(), injector.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := dryRun(t, client, podOf(deployment)); err != nil {
			t.Errorf("components %q: a pod of the Deployment is not admitted: %v", set, err)
		}
	}
}

// TestEnforce shows the policy that stands in while the webhook is out.
func TestEnforce(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	objects := slices.DeleteFunc(rendered(t, "enforce"), func(object *unstructured.Unstructured) bool {
		return strings.HasSuffix(object.GetKind(), "WebhookConfiguration") // as if it ignored the outage
	})
	if err := server.Apply(t.Context(), objects...); err != nil {
		t.Fatal(err)
	}
	try := func(annotations map[string]string) error {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "p-", Annotations: annotations},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.org/main:1"}}},
		}
		_, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	asks := map[string]string{injector.RoleAnnotation: "nginx"}
	var refusal error
	for deadline := time.Now().Add(30 * time.Second); refusal == nil; time.Sleep(100 * time.Millisecond) {
		if refusal = try(asks); refusal == nil && time.Now().After(deadline) {
			t.Fatal("a pod that asks and has no status was let past")
		}
	}
	if !apierrors.IsForbidden(refusal) || !strings.Contains(refusal.Error(), `role "nginx": the pod came past`) {
		t.Errorf("refusal is %v, want Forbidden with our message", refusal)
	}
	for name, annotations := range map[string]map[string]string{
		"no annotations": nil,
		"other":          {"example.org/other": "x"},
		"switched off":   {injector.RoleAnnotation: "nginx", injector.InjectAnnotation: "false"},
		"injected":       {injector.RoleAnnotation: "nginx", injector.StatusAnnotation: "{}"},
	} {
		if err := try(annotations); err != nil {
			t.Errorf("pod %q: %v, want it let past", name, err)
		}
	}
}

// TestWiring compares what must agree between objects: ports, selectors, names.
func TestWiring(t *testing.T) {
	for _, set := range subsets(manifests.Components()) {
		var deployment appsv1.Deployment
		decode(t, rendered(t, set...), "Deployment", injector.Name, &deployment)
		template := deployment.Spec.Template
		ports := map[string]int32{}
		for _, port := range template.Spec.Containers[0].Ports {
			ports[port.Name] = port.ContainerPort
		}
		if ports["webhook"] != 9443 || ports["metrics"] != 8080 || ports["probes"] != 8081 {
			t.Errorf("components %q: ports of the Deployment are %v", set, ports)
		}
		for _, object := range rendered(t, set...) {
			if object.GetKind() != "Service" {
				continue
			}
			var service corev1.Service
			decode(t, []*unstructured.Unstructured{object}, "Service", object.GetName(), &service)
			for key, value := range service.Spec.Selector {
				if template.Labels[key] != value {
					t.Errorf("components %q: Service %q selects %s=%s, the pods have %q", set, service.Name, key, value, template.Labels[key])
				}
			}
			for _, port := range service.Spec.Ports {
				if _, found := ports[port.TargetPort.StrVal]; !found {
					t.Errorf("components %q: Service %q leads to port %q, which the Deployment lacks", set, service.Name, port.TargetPort.StrVal)
				}
			}
		}
		if service := template.Spec.ServiceAccountName; service != injector.Name {
			t.Errorf("components %q: the pods run as %q", set, service)
		}
	}
}

// TestRightsAreFew pins the webhook's rights: a verb more needs a thought here, too.
func TestRightsAreFew(t *testing.T) {
	var role rbacv1.Role
	var cluster rbacv1.ClusterRole
	decode(t, rendered(t), "Role", injector.Name, &role)
	decode(t, rendered(t), "ClusterRole", injector.Name, &cluster)
	var got []string
	for _, rule := range append(role.Rules, cluster.Rules...) {
		got = append(got, strings.Join(rule.Resources, ",")+" "+strings.Join(rule.ResourceNames, ",")+" "+strings.Join(rule.Verbs, ","))
	}
	want := []string{
		"configmaps  get,list,watch",
		"secrets " + injector.CASecretName + " get,list,watch,update",
		"secrets  create",
		"events  create,patch",
		"mutatingwebhookconfigurations,validatingwebhookconfigurations " + injector.Name + " get,list,watch,patch",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rights are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestUnknownComponent(t *testing.T) {
	_, err := manifests.Render("monitorin")
	if err == nil || !strings.Contains(err.Error(), `component "monitorin": unknown; there are cert-manager, enforce`) {
		t.Errorf("error is %v, want one that names the components", err)
	}
}

// rendered gives the objects of the base with components.
func rendered(t *testing.T, components ...string) []*unstructured.Unstructured {
	t.Helper()
	stream, err := manifests.Render(components...)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := apiserver.Objects(stream)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// subsets gives all sets of names, the empty one first.
func subsets(names []string) [][]string {
	sets := [][]string{{}}
	for _, name := range names {
		for _, set := range slices.Clone(sets) {
			sets = append(sets, append(slices.Clone(set), name))
		}
	}
	return sets
}

// installDefinitions applies the CustomResourceDefinitions of the modules that
// tools/crds pins and waits until the API server serves their kinds.
func installDefinitions(t *testing.T, server *apiserver.Server) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json")
	command.Dir = filepath.Join("..", "tools", "crds")
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go mod download in tools/crds: %v\n%s", err, output)
	}
	folders := map[string]string{
		"github.com/cert-manager/cert-manager":               "deploy/crds/cert-manager.io_*.yaml",
		"github.com/prometheus-operator/prometheus-operator": "example/prometheus-operator-crd/*.yaml",
	}
	kinds := map[string]bool{"Certificate": true, "Issuer": true, "ServiceMonitor": true, "PrometheusRule": true}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var module struct{ Path, Dir string }
		if err := decoder.Decode(&module); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(module.Dir, folders[module.Path]))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			applyDefinition(t, server, file, kinds)
		}
	}
	for kind := range kinds {
		t.Errorf("the modules of tools/crds have no definition of kind %q", kind)
	}
	waitServed(t, server)
}

// applyDefinition applies a file where it defines one of the kinds, and strikes
// that kind off.
func applyDefinition(t *testing.T, server *apiserver.Server, file string, kinds map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := apiserver.Objects(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, object := range objects {
		kind, _, err := unstructured.NestedString(object.Object, "spec", "names", "kind")
		if err != nil || !kinds[kind] {
			continue
		}
		if err := server.Apply(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		delete(kinds, kind)
	}
}

// waitServed waits for the groups of the foreign kinds.
func waitServed(t *testing.T, server *apiserver.Server) {
	t.Helper()
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"cert-manager.io/v1", "monitoring.coreos.com/v1"} {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			resources, err := client.Discovery().ServerResourcesForGroupVersion(group)
			if err == nil && len(resources.APIResources) >= 2 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the API server does not serve %s: %v", group, err)
			}
		}
	}
}
