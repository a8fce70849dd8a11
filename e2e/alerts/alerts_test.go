// Package alerts runs promtool over the delivered alerts. It has a target of its
// own (make test-alerts), for promtool takes minutes to build.
package alerts

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/manifests"
)

// TestAlerts takes the rules out of the PrometheusRule, as the operator does, and
// has promtool play the cases of alerts.test.yml.
func TestAlerts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rules.yml"), rules(t))
	cases, err := os.ReadFile("alerts.test.yml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "alerts.test.yml"), cases)
	for _, args := range [][]string{
		{"check", "rules", "--lint=all", "--lint-fatal", filepath.Join(dir, "rules.yml")},
		{"test", "rules", filepath.Join(dir, "alerts.test.yml")},
	} {
		command := exec.CommandContext(t.Context(), "go", append([]string{"tool", "-modfile=go.mod", "promtool"}, args...)...)
		command.Dir = filepath.Join("..", "..", "tools", "promtool")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args[:2], err, output)
		}
	}
}

// rules is the spec of the only PrometheusRule, which is a Prometheus rule file.
func rules(t *testing.T) []byte {
	t.Helper()
	stream, err := manifests.Render("monitoring")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := apiserver.Objects(stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if object.GetKind() == "PrometheusRule" {
			text, err := yaml.Marshal(object.Object["spec"])
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	t.Fatal("component monitoring has no PrometheusRule")
	return nil
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
