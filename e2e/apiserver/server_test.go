package apiserver_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
)

// pod is the smallest one that the API server takes.
func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.org/main:1"}}},
	}
}

func TestPodsCanBeCreatedAndSurviveRestarts(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(version.GitVersion, "v1.37.") {
		t.Errorf("version is %q, want 1.37", version.GitVersion)
	}
	if err := server.CreateNamespace(ctx, "team", map[string]string{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	for _, namespace := range []string{"default", "team"} {
		if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod("first"), metav1.CreateOptions{}); err != nil {
			t.Errorf("namespace %q: %v", namespace, err)
		}
	}

	server.KillAPIServer()
	server.KillEtcd()
	if _, err := client.CoreV1().Pods("team").Get(ctx, "first", metav1.GetOptions{}); err == nil {
		t.Error("a killed API server answered")
	}
	if err := server.RestartEtcd(ctx); err != nil {
		t.Fatal(err)
	}
	if err := server.RestartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("team").Get(ctx, "first", metav1.GetOptions{}); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

func TestFlagsAndGatesReachTheServer(t *testing.T) {
	server := apiserver.StartForTest(t, apiserver.Options{
		FeatureGates: map[string]bool{"AllAlpha": false},
		Flags:        []string{"--enable-admission-plugins=AlwaysPullImages"},
	})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	created, err := client.CoreV1().Pods("default").Create(t.Context(), pod("pulled"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if policy := created.Spec.Containers[0].ImagePullPolicy; policy != corev1.PullAlways {
		t.Errorf("image pull policy is %q, want Always from the plugin that the flag enabled", policy)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	server, err := apiserver.Start(t.Context(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	etcd, api := server.PIDs()
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
	for name, pid := range map[string]int{"etcd": etcd, "kube-apiserver": api} {
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("%s (process %d) still runs after Stop", name, pid)
		}
	}
	if _, err := os.Stat(server.Kubeconfig()); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is still there after Stop: %v", err)
	}
	if err := server.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
}

func TestFailuresSayWhy(t *testing.T) {
	started := time.Now()
	_, err := apiserver.Start(t.Context(), apiserver.Options{Flags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("error does not show what kube-apiserver said: %v", err)
	}
	if waited := time.Since(started); waited > 30*time.Second {
		t.Errorf("an API server that ended was waited for, %s", waited)
	}

	_, err = apiserver.Start(t.Context(), apiserver.Options{Binaries: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "run make control-plane") {
		t.Errorf("error does not say how to get the programs: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if server, err := apiserver.Start(ctx, apiserver.Options{}); err == nil {
		t.Errorf("started although the context was cancelled: %v", server.Stop())
	}
}
