// Package commands runs the commands for operators (check, status, install,
// uninstall, and build with kubectl) against a real API server.
package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
)

const manifest = `roles:
- name: nginx
  jobs: [{name: nginx, release_name: nginx}]
  extra-pod-containers: [log-forwarder]
  run:
    memory: 256
    shared-volumes:
    - {path: /mnt/share, tag: common-share, empty-dir: true}
- name: log-forwarder
  type: colocated-container
  jobs: [{name: elk, release_name: elk}]
  run:
    memory: 64
    virtual-cpus: 0.1
    shared-volumes:
    - {path: /mnt/share, tag: common-share, empty-dir: true}
  container: {image: "IMAGE"}
`

// installed starts everything and defines role nginx.
func installed(t *testing.T) *product.Installation {
	t.Helper()
	i := product.InstallForTest(t, apiserver.Options{}, "--grace-period", "0s")
	define(t, i, "example.org/log-forwarder:1")
	for {
		_, err := i.Client.CoreV1().Pods("default").Create(t.Context(), pod("probe", "default"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return i
		}
		if t.Context().Err() != nil || !strings.Contains(err.Error(), "not defined") {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // the webhook has not seen the ConfigMap yet
	}
}

// define applies role nginx, whose colocated container has an image.
func define(t *testing.T, i *product.Installation, image string) {
	t.Helper()
	file := filepath.Join(i.Folder, "role-manifest.yml")
	if err := os.WriteFile(file, []byte(strings.Replace(manifest, "IMAGE", image, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	i.Define(t, file)
}

// command runs the binary with the rights of an administrator.
func command(t *testing.T, i *product.Installation, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return i.Command(t, "", append(args, "--kubeconfig", i.Server.Kubeconfig())...)
}

// kubectl runs the real one.
func kubectl(t *testing.T, s *apiserver.Server, stdin string, env []string, args ...string) (string, error) {
	t.Helper()
	folder, err := apiserver.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), filepath.Join(folder, "kubectl"), append([]string{"--kubeconfig", s.Kubeconfig()}, args...)...)
	c.Env = append(os.Environ(), append(env, "HOME="+t.TempDir())...)
	c.Stdin = strings.NewReader(stdin)
	out, err := c.CombinedOutput()
	return string(out), err
}

type finding struct{ Check, Level, Text, Remedy string }

// check runs `colocate check -o json`.
func check(t *testing.T, i *product.Installation, args ...string) ([]finding, int) {
	t.Helper()
	out, errs, code := command(t, i, append([]string{"check", "-o", "json"}, args...)...)
	var answer struct{ Findings []finding }
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, errs)
	}
	return answer.Findings, code
}

// wants fails unless there is such a finding.
func wants(t *testing.T, findings []finding, check, level, text string) {
	t.Helper()
	for _, f := range findings {
		if f.Check == check && f.Level == level && strings.Contains(f.Text+" → "+f.Remedy, text) {
			return
		}
	}
	t.Errorf("no finding %s, %s with %q in\n%+v", check, level, text, findings)
}

func pod(name, namespace string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Annotations: map[string]string{"colocate.dev/role": "nginx"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "example.org/nginx:1"}}},
	}
}
