// Package scale creates a Deployment of two thousand replicas with and without the
// webhook, through the real controllers. There are no nodes: what is measured is
// how fast pods come into being.
package scale

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/process"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

var (
	pods   = flag.Int("pods", 2000, "replicas of the Deployment")
	rounds = flag.Int("rounds", 3, "Deployments created with, and as many without the webhook")
)

// controllers starts the two controllers that make pods of a Deployment.
func controllers(t *testing.T, i *product.Installation) {
	t.Helper()
	folder, err := apiserver.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "kube-controller-manager")
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("kube-controller-manager is missing in %q: run make cluster-binaries", folder)
	}
	p, err := process.Start(binary, filepath.Join(i.Folder, "controllers.log"),
		"--kubeconfig", i.Server.Kubeconfig(), "--controllers", "deployment-controller,replicaset-controller",
		"--leader-elect=false", "--bind-address", "127.0.0.1", "--secure-port", "0",
		// The usual 20 a second would hide everything else.
		"--kube-api-qps", "2000", "--kube-api-burst", "4000", "--concurrent-replicaset-syncs", "5")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.Tail())
		}
		p.Kill()
	})
}

// figures are what one Deployment cost.
type figures struct {
	rate             float64 // pods per second
	webhook, server  time.Duration
	webhookResidentM int // MB
}

func TestDeployment(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{})
	i.Define(t, "../../examples/sidecar/role-manifest.yml")
	controllers(t, i)
	all := map[bool][]figures{}
	for n := range *rounds {
		for _, asks := range []bool{false, true} {
			f := deploy(t, i, fmt.Sprintf("web-%d-%t", n, asks), asks)
			all[asks] = append(all[asks], f)
			t.Logf("annotated %-5t: %5.0f pods/s, CPU a pod: API server %4.0f µs, webhook %3.0f µs; webhook %d MB resident",
				asks, f.rate, perPod(f.server), perPod(f.webhook), f.webhookResidentM)
		}
	}
	if all[true][0].webhook == 0 {
		t.Error("the webhook used no CPU: it was not called")
	}
}

func perPod(d time.Duration) float64 { return float64(d.Microseconds()) / float64(*pods) }

// deploy creates a Deployment, waits for its pods and removes it.
func deploy(t *testing.T, i *product.Installation, name string, asks bool) figures {
	t.Helper()
	if err := i.Server.CreateNamespace(t.Context(), name, nil); err != nil {
		t.Fatal(err)
	}
	replicas := int32(*pods)
	labels := map[string]string{"app": name}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "example.org/nginx:1"}}},
	}
	if asks {
		template.Annotations = map[string]string{injector.RoleAnnotation: "nginx"}
	}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}
	_, server := i.Server.PIDs()
	webhookBefore, serverBefore := cpu(t, i.Replica.PID()), cpu(t, server)
	begun := time.Now()
	if _, err := i.Client.AppsV1().Deployments(name).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, i.Client, name, int(replicas))
	took := time.Since(begun)
	f := figures{
		rate: float64(replicas) / took.Seconds(), webhookResidentM: resident(t, i.Replica.PID()),
		webhook: cpu(t, i.Replica.PID()) - webhookBefore, server: cpu(t, server) - serverBefore,
	}
	checkAll(t, i.Client, name, asks)
	background := metav1.DeletePropagationBackground
	if err := i.Client.AppsV1().Deployments(name).Delete(t.Context(), "web", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Error(err)
	}
	return f
}

// await waits until the ReplicaSet has all its pods; it asks for numbers only, so
// that asking costs little.
func await(t *testing.T, client kubernetes.Interface, namespace string, want int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for {
		sets, err := client.AppsV1().ReplicaSets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(sets.Items) == 1 && int(sets.Items[0].Status.Replicas) == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the ReplicaSet has not got its %d pods: %+v", want, sets.Items)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// checkAll looks at every pod: each that asked has its container, and no other has.
func checkAll(t *testing.T, client kubernetes.Interface, namespace string, asks bool) {
	t.Helper()
	want, total := 1, 0
	if asks {
		want = 2
	}
	for next := ""; ; {
		list, err := client.CoreV1().Pods(namespace).List(context.WithoutCancel(t.Context()), metav1.ListOptions{Limit: 500, Continue: next})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Items {
			total++
			if len(p.Spec.Containers) != want {
				t.Fatalf("pod %s has %d containers, not %d", p.Name, len(p.Spec.Containers), want)
			}
		}
		if next = list.Continue; next == "" {
			break
		}
	}
	if total < *pods {
		t.Errorf("there are %d pods, not %d", total, *pods)
	}
}

// cpu is the processor time that a process has used so far, of /proc/PID/stat.
func cpu(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatalf("processor time is read from /proc, so this needs Linux: %v", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	ticks := 0
	for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// resident is the memory of a process in MB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}
