package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/manifests"
)

// values are the names of the components' values.
func values() map[string]string {
	return map[string]string{
		"cert-manager": "certManager", "enforce": "enforce", "high-availability": "highAvailability",
		"monitoring": "monitoring", "network-policy": "networkPolicy",
	}
}

// TestEqualsKustomize compares every set of components, object by object.
func TestEqualsKustomize(t *testing.T) {
	for set := range 1 << len(manifests.Components()) {
		var components, args []string
		for i, name := range manifests.Components() {
			value, found := values()[name]
			if !found {
				t.Fatalf("component %q has no value", name)
			}
			if set&(1<<i) != 0 {
				components, args = append(components, name), append(args, "--set", value+"=true")
			}
		}
		if diff := cmp.Diff(byName(t, rendered(t, components...)), byName(t, template(t, args...))); diff != "" {
			t.Errorf("components %q: kustomize gives -, the chart +:\n%s", components, diff)
		}
	}
}

// TestNoCABundle holds what would take the bundle away from whoever writes it.
func TestNoCABundle(t *testing.T) {
	for _, args := range [][]string{nil, {"--set", "certManager=true"}} {
		out, err := helm(t, append([]string{"template", release, chart}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, "caBundle:") {
			t.Errorf("%q: the chart writes a caBundle", args)
		}
	}
}

// TestNamespace renders everything for a namespace that YAML could take for a
// number, by the release and by the value.
func TestNamespace(t *testing.T) {
	stream, err := manifests.Render(manifests.Components()...)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(stream), ": "+manifests.Namespace+"\n", ": \"1234\"\n")
	text = strings.ReplaceAll(text, "- "+manifests.Namespace+"\n", "- \"1234\"\n")
	want := byName(t, read(t, []byte(strings.ReplaceAll(text, manifests.Namespace, "1234"))))
	var all []string
	for _, value := range values() {
		all = append(all, "--set", value+"=true")
	}
	if diff := cmp.Diff(want, byName(t, templateIn(t, "1234", all...))); diff != "" {
		t.Errorf("by the release:\n%s", diff)
	}
	all = append(all, "--set-string", "namespaceOverride=1234")
	if diff := cmp.Diff(want, byName(t, templateIn(t, "default", all...))); diff != "" {
		t.Errorf("by the value:\n%s", diff)
	}
}

// TestKustomizeNamespace holds the example that does the same with kustomize, but
// for two texts that people read.
func TestKustomizeNamespace(t *testing.T) {
	folder, err := apiserver.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(folder, "kubectl"), "kustomize", "../../examples/namespace").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"the Deployment colocate in namespace " + manifests.Namespace + ", then create the pod again",
		"Deployment colocate in namespace " + manifests.Namespace + ".",
	} {
		if strings.Count(string(out), text) != 1 {
			t.Errorf("the example does not say %q once; change the test and its comments", text)
		}
		out = []byte(strings.Replace(string(out), text, strings.Replace(text, manifests.Namespace, "pod-additions", 1), 1))
	}
	var all []string
	for _, value := range values() {
		all = append(all, "--set", value+"=true")
	}
	objects := read(t, out)
	for _, object := range objects {
		// kustomize does not know that these have no namespace; kubectl drops it.
		if strings.HasPrefix(object.GetKind(), "ValidatingAdmissionPolicy") {
			object.SetNamespace("")
		}
	}
	if diff := cmp.Diff(byName(t, templateIn(t, "pod-additions", all...)), byName(t, objects)); diff != "" {
		t.Errorf("the chart gives -, the example +:\n%s", diff)
	}
}

// TestSettings changes one value after the other; nothing but its field changes.
func TestSettings(t *testing.T) {
	container := func(d map[string]any) map[string]any {
		return podSpec(d)["containers"].([]any)[0].(map[string]any)
	}
	for name, c := range map[string]struct {
		values string
		kind   string
		change func(object map[string]any)
	}{
		"image": {"image: example.org/colocate@sha256:0123\nimagePullPolicy: Always", "Deployment", func(d map[string]any) {
			container(d)["image"], container(d)["imagePullPolicy"] = "example.org/colocate@sha256:0123", "Always"
		}},
		"pull secrets": {"imagePullSecrets: [one, two]", "Deployment", func(d map[string]any) {
			podSpec(d)["imagePullSecrets"] = []any{map[string]any{"name": "one"}, map[string]any{"name": "two"}}
		}},
		"replicas": {"replicas: 5", "Deployment", func(d map[string]any) {
			d["spec"].(map[string]any)["replicas"] = float64(5)
		}},
		"arguments": {`extraArgs: ["--tls-san=a: b", "--log-level=debug"]`, "Deployment", func(d map[string]any) {
			container(d)["args"] = []any{"serve", "--tls-san=a: b", "--log-level=debug"}
		}},
		"resources": {"resources: {limits: {memory: null, cpu: 2}}", "Deployment", func(d map[string]any) {
			container(d)["resources"].(map[string]any)["limits"] = map[string]any{"cpu": float64(2)}
		}},
		"placement": {"nodeSelector: {disk: fast}\ntolerations: [{operator: Exists}]", "Deployment", func(d map[string]any) {
			podSpec(d)["nodeSelector"] = map[string]any{"kubernetes.io/os": "linux", "disk": "fast"}
			podSpec(d)["tolerations"] = []any{map[string]any{"operator": "Exists"}}
		}},
		"failure policy": {"failurePolicy: Ignore", "MutatingWebhookConfiguration", func(d map[string]any) {
			d["webhooks"].([]any)[0].(map[string]any)["failurePolicy"] = "Ignore"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := rendered(t)
			for _, object := range objects {
				if object.GetKind() == c.kind {
					c.change(object.Object)
				}
			}
			if diff := cmp.Diff(byName(t, objects), byName(t, template(t, "--values", file(t, c.values)))); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// TestWithoutNamespace leaves the namespace to whoever made it.
func TestWithoutNamespace(t *testing.T) {
	want := slices.DeleteFunc(rendered(t), func(object *unstructured.Unstructured) bool { return object.GetKind() == "Namespace" })
	if diff := cmp.Diff(byName(t, want), byName(t, template(t, "--set", "createNamespace=false"))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestNotes reads what Helm says after an installation.
func TestNotes(t *testing.T) {
	const label = "kubectl label namespace pods-here pod-security.kubernetes.io/enforce=restricted"
	for _, c := range []struct {
		set           string
		ignore, label bool
	}{
		{"replicas=2", false, false},
		{"failurePolicy=Ignore", true, false},
		{"failurePolicy=Ignore,enforce=true", false, false},
		{"createNamespace=false", false, true},
	} {
		out, err := helm(t, "install", release, chart, "--namespace", "pods-here", "--dry-run=client", "--set", c.set)
		if err != nil {
			t.Fatal(err)
		}
		_, notes, _ := strings.Cut(out, "NOTES:\n")
		if !strings.Contains(notes, "colocate build --namespace pods-here role-manifest.yml") {
			t.Errorf("%s: the notes do not say what to do next:\n%s", c.set, notes)
		}
		if got := strings.Contains(notes, "failurePolicy is Ignore: while no webhook answers"); got != c.ignore {
			t.Errorf("%s: warned of outages: %v, want %v", c.set, got, c.ignore)
		}
		if got := strings.Contains(notes, label); got != c.label {
			t.Errorf("%s: asked to label the namespace: %v, want %v", c.set, got, c.label)
		}
	}
}

// TestRefused gives values that the schema refuses, and the word that says why.
func TestRefused(t *testing.T) {
	for values, word := range map[string]string{
		"certManger: true":                       "certManger",
		"image: ''":                              "image",
		"image: {tag: v1}":                       "image",
		"replicas: 0":                            "replicas",
		"replicas: two":                          "replicas",
		"{replicas: 2, highAvailability: true}":  "replicas",
		"highAvailability: 'yes'":                "highAvailability",
		"failurePolicy: Maybe":                   "failurePolicy",
		"namespaceOverride: My_Namespace":        "namespaceOverride",
		"extraArgs: [port]":                      "extraArgs",
		"extraArgs: --port=1":                    "extraArgs",
		"resources: {limit: {memory: 1Gi}}":      "limit",
		"nodeSelector: {arm: true}":              "nodeSelector",
		"imagePullSecrets: [{name: registry}]":   "imagePullSecrets",
		"tolerations: {operator: Exists}":        "tolerations",
		"createNamespace: null\nmonitoring: [1]": "monitoring",
	} {
		_, err := helm(t, "template", release, chart, "--values", file(t, values))
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("values %q: error is %v, want one that names %q", values, err, word)
		}
	}
	_, err := helm(t, "template", release, chart, "--kube-version", "v1.29.9")
	if err == nil || !strings.Contains(err.Error(), "1.30") {
		t.Errorf("Kubernetes 1.29: error is %v, want one that names 1.30", err)
	}
}

// TestSchemaIsWhole makes sure that no value is missing in the schema, or there.
func TestSchemaIsWhole(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	var defaults map[string]any
	for name, into := range map[string]any{"values.schema.json": &schema, "values.yaml": &defaults} {
		text, err := os.ReadFile(filepath.Join(chart, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name := range defaults {
		if _, found := schema.Properties[name]; !found {
			t.Errorf("value %q is not in the schema", name)
		}
	}
	for name := range schema.Properties {
		if _, found := defaults[name]; !found && name != "global" {
			t.Errorf("value %q of the schema is not in values.yaml", name)
		}
	}
	if _, err := helm(t, "lint", "--strict", chart); err != nil {
		t.Error(err)
	}
}

func podSpec(deployment map[string]any) map[string]any {
	spec, _, _ := unstructured.NestedFieldNoCopy(deployment, "spec", "template", "spec")
	return spec.(map[string]any)
}

// file writes values to a file and gives its path.
func file(t *testing.T, values string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(path, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
