// Package chart tests the Helm chart with Helm itself: that it gives what the
// kustomizations give, and that an API server takes it. It has a target of its own
// (make test-chart), for Helm takes minutes to build.
package chart

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/manifests"
)

const (
	chart   = "../../manifests/chart"
	release = "colocate"
)

// program is the path of helm.
var program string

func TestMain(m *testing.M) {
	os.Exit(run(m)) //nolint:forbidigo // the code must tell of a failed build, too
}

func run(m *testing.M) int {
	fmt.Fprintln(os.Stderr, "helm: building where it is missing (about 3 minutes the first time)")
	// With -n the tool is built, and its path printed instead of run.
	build := exec.Command("go", "tool", "-modfile=go.mod", "-n", "helm")
	build.Dir = filepath.Join("..", "..", "tools", "helm")
	build.Stderr = os.Stderr
	path, err := build.Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "helm:", err)
		return 1
	}
	program = strings.TrimSpace(string(path))
	// Helm keeps a cache and a configuration; those of the person are left alone.
	home, err := os.MkdirTemp("", "colocate-helm-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "helm:", err)
		return 1
	}
	defer os.RemoveAll(home) //nolint:errcheck // a folder left in the temporary one harms nobody
	for _, name := range []string{"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"} {
		if err := os.Setenv(name, filepath.Join(home, name)); err != nil {
			fmt.Fprintln(os.Stderr, "helm:", err)
			return 1
		}
	}
	return m.Run()
}

// helm runs it and gives what it printed; the error has what it complained about.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("helm %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

// template gives the objects of the chart in the usual namespace.
func template(t *testing.T, args ...string) []*unstructured.Unstructured {
	t.Helper()
	return templateIn(t, manifests.Namespace, args...)
}

// templateIn gives the objects of the chart for a release in a namespace.
func templateIn(t *testing.T, namespace string, args ...string) []*unstructured.Unstructured {
	t.Helper()
	out, err := helm(t, append([]string{"template", release, chart, "--namespace", namespace}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, []byte(out))
}

// rendered gives the objects of the kustomizations.
func rendered(t *testing.T, components ...string) []*unstructured.Unstructured {
	t.Helper()
	stream, err := manifests.Render(components...)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, stream)
}

func read(t *testing.T, stream []byte) []*unstructured.Unstructured {
	t.Helper()
	objects, err := apiserver.Objects(stream)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// byName are the contents of objects, which must differ in kind or name.
func byName(t *testing.T, objects []*unstructured.Unstructured) map[string]any {
	t.Helper()
	contents := map[string]any{}
	for _, object := range objects {
		key := object.GetAPIVersion() + " " + object.GetKind() + " " + object.GetName()
		if _, twice := contents[key]; twice {
			t.Errorf("object twice: %s", key)
		}
		contents[key] = object.Object
	}
	return contents
}
