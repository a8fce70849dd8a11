package commands

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/product"
)

// TestStatus lists 5,000 pods of two Deployments, and sees those that are behind.
func TestStatus(t *testing.T) {
	const perWorkload = 2500
	i := installed(t)
	out, _, code := command(t, i, "status")
	if code != 0 || !strings.Contains(out, "no pod carries the label colocate.dev/injected=true") {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	started := time.Now()
	populate(t, i, "old", perWorkload)
	define(t, i, "example.org/log-forwarder:2")
	time.Sleep(2 * time.Second) // the webhook takes the new definitions
	populate(t, i, "new", perWorkload)
	t.Logf("created %d pods in %s", 2*perWorkload, time.Since(started))

	c := exec.CommandContext(t.Context(), i.Binary, "status", "--kubeconfig", i.Server.Kubeconfig())
	started = time.Now()
	text, err := c.CombinedOutput()
	took := time.Since(started)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10 // kilobytes on Linux
	t.Logf("status took %s and %d MiB", took, peak)
	if took > 20*time.Second || peak > 200 {
		t.Errorf("status of %d pods took %s and %d MiB", 2*perWorkload, took, peak)
	}
	want := `NAMESPACE  WORKLOAD        ROLE   PODS  BEHIND  STATE
default    deployment/new  nginx  2500  0       current
default    deployment/old  nginx  2500  2500    behind

To bring the pods that are behind up to date:
  kubectl rollout restart deployment/old --namespace default
`
	if string(text) != want {
		t.Errorf("status says\n%s\nwant\n%s", text, want)
	}

	out, _, code = command(t, i, "status", "-o", "json")
	var answer struct {
		Workloads []struct {
			Workload, State string
			Pods, Behind    int
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 || len(answer.Workloads) != 2 || answer.Workloads[1].Behind != perWorkload {
		t.Errorf("exit code %d, error %v\n%s", code, err, out)
	}
	out, _, _ = command(t, i, "status", "--in", "kube-system", "-o", "json")
	if strings.Join(strings.Fields(out), "") != `{"workloads":[]}` {
		t.Errorf("another namespace has\n%s", out)
	}
	found, code := check(t, i)
	wants(t, found, "bare pods", "ok", "every pod")
	exitCode(t, code, 0)
}

// populate creates the pods of a Deployment, as its ReplicaSet's controller would.
func populate(t *testing.T, i *product.Installation, deployment string, n int) {
	t.Helper()
	numbers := make(chan int, n)
	for k := range n {
		numbers <- k
	}
	close(numbers)
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for k := range numbers {
				p := pod(fmt.Sprintf("%s-abc-%d", deployment, k), "default")
				yes := true
				p.Labels = map[string]string{"pod-template-hash": "abc"}
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: deployment + "-abc", UID: "1", Controller: &yes}}
				if _, err := i.Client.CoreV1().Pods("default").Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
