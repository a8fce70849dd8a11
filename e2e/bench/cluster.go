package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

// podsRow is pod creation as the client sees it. Times are microseconds for a pod.
type podsRow struct {
	Pods       string  `json:"pods"`
	ServerCPU  float64 `json:"apiServerMicroseconds"`
	WebhookCPU float64 `json:"webhookMicroseconds"`
	P50        float64 `json:"p50Microseconds"`
	P99        float64 `json:"p99Microseconds"`
}

// inUse is a replica that serves an API server.
type inUse struct {
	IdleMiB           float64 `json:"idleMiB"`
	UsedMiB           float64 `json:"usedMiB"`
	StartMilliseconds float64 `json:"startMilliseconds"`
	BinaryMB          float64 `json:"binaryMB"`
}

// created is one round of pods.
type created struct{ server, webhook, p50, p99 time.Duration }

// cluster measures pods that ask against pods that do not, which the API server
// never sends to the webhook, in the same rounds.
func (b *bench) cluster(ctx context.Context, into *results) error {
	server, err := apiserver.Start(ctx, apiserver.Options{Flags: []string{"--max-mutating-requests-inflight=1000"}})
	if err != nil {
		return err
	}
	b.stops = append(b.stops, func() { _ = server.Stop() })
	replica, use, err := b.install(ctx, server)
	if err != nil {
		return err
	}
	config := server.Config()
	config.QPS, config.Burst = -1, -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pids := [2]int{replica.PID()}
	_, pids[1] = server.PIDs()
	kinds := []string{"that ask for nothing", "that ask for a role"}
	rounds := make([][]created, len(kinds))
	for round := range b.rounds {
		for k := range kinds {
			if round%2 == 1 {
				k = len(kinds) - 1 - k
			}
			c, err := createPods(ctx, client, pids, k == 1, max(b.requests/10, 50))
			if err != nil {
				return err
			}
			rounds[k] = append(rounds[k], c)
		}
	}
	for k, kind := range kinds {
		into.Pods = append(into.Pods, podsOf(kind, rounds[k]))
	}
	if use.UsedMiB, err = memory(replica.PID()); err != nil {
		return err
	}
	into.Cluster = use
	if b.soak > 0 {
		if err := b.soakFor(ctx, replica, b.soak, into); err != nil {
			return err
		}
	}
	return b.reloads(ctx, client, replica, into)
}

// install starts a replica as in a cluster, and one more when the authority is
// there, for the time of its start.
func (b *bench) install(ctx context.Context, server *apiserver.Server) (*product.Replica, *inUse, error) {
	port, err := product.FreePort("127.0.0.1")
	if err != nil {
		return nil, nil, err
	}
	account, err := product.Install(ctx, server, "https://127.0.0.1:"+strconv.Itoa(port), b.folder)
	if err != nil {
		return nil, nil, err
	}
	objects, err := apiserver.Objects([]byte(definitions))
	if err == nil {
		err = server.Apply(ctx, objects...)
	}
	if err != nil {
		return nil, nil, err
	}
	use := &inUse{}
	stripped := filepath.Join(b.folder, "stripped")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", stripped, "colocate.dev/colocate/cmd/colocate")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	if info, err := os.Stat(stripped); err == nil {
		use.BinaryMB = float64(info.Size()) / 1e6
	}
	options := product.Options{Binary: stripped, Kubeconfig: account, Port: port, Log: filepath.Join(b.folder, "replica.log")}
	replica, err := product.ServeReady(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	b.stops = append(b.stops, replica.Kill)
	time.Sleep(5 * time.Second) // idle
	if use.IdleMiB, err = memory(replica.PID()); err != nil {
		return nil, nil, err
	}
	options.Port = 0
	var starts []float64
	for range 7 {
		took, err := firstAnswer(ctx, options)
		if err != nil {
			return nil, nil, err
		}
		starts = append(starts, took)
	}
	use.StartMilliseconds = median(starts)
	return replica, use, nil
}

// firstAnswer is the time in milliseconds from the start of a replica until it
// has injected into a pod.
func firstAnswer(ctx context.Context, o product.Options) (float64, error) {
	all, err := reviews()
	if err != nil {
		return 0, err
	}
	client := newClient(1)
	defer client.CloseIdleConnections()
	begin := time.Now()
	r, err := product.Serve(o)
	if err != nil {
		return 0, err
	}
	defer r.Kill()
	var answer bytes.Buffer
	for {
		err := post(ctx, client, urlOf(r.Port), all[0].body, &answer)
		if err == nil {
			return float64(time.Since(begin)) / float64(time.Millisecond), admitted(answer.Bytes(), []byte(uidMark))
		}
		if time.Since(begin) > 30*time.Second || ctx.Err() != nil {
			return 0, fmt.Errorf("no answer after the start: %w\n%s", err, r.Tail())
		}
		time.Sleep(time.Millisecond)
	}
}

func createPods(ctx context.Context, client kubernetes.Interface, pids [2]int, asks bool, n int) (c created, err error) {
	no := false
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-", Annotations: map[string]string{"example.org/role": role}},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			Containers:                   []corev1.Container{{Name: role, Image: "example.org/web:1"}},
		},
	}
	if asks {
		p.Annotations = map[string]string{injector.RoleAnnotation: role}
	}
	var before [2]time.Duration
	for i, pid := range pids {
		if before[i], err = cpuTime(pid); err != nil {
			return c, err
		}
	}
	took := make([]time.Duration, n)
	for i := range took {
		begin := time.Now()
		got, err := client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return c, err
		}
		took[i] = time.Since(begin)
		if injected := len(got.Spec.Containers) == 2; injected != asks {
			return c, fmt.Errorf("pod that asks %t has %d containers", asks, len(got.Spec.Containers))
		}
	}
	for i, part := range []*time.Duration{&c.webhook, &c.server} {
		after, err := cpuTime(pids[i])
		if err != nil {
			return c, err
		}
		*part = (after - before[i]) / time.Duration(n)
	}
	c.p50, c.p99 = quantile(took, .5), quantile(took, .99)
	return c, nil
}

func podsOf(kind string, rounds []created) podsRow {
	of := func(part func(created) time.Duration) float64 {
		var list []float64
		for _, c := range rounds {
			list = append(list, float64(part(c))/float64(time.Microsecond))
		}
		return median(list)
	}
	return podsRow{
		Pods:       kind,
		ServerCPU:  of(func(c created) time.Duration { return c.server }),
		WebhookCPU: of(func(c created) time.Duration { return c.webhook }),
		P50:        of(func(c created) time.Duration { return c.p50 }),
		P99:        of(func(c created) time.Duration { return c.p99 }),
	}
}
