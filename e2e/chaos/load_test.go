package chaos

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/injector"
)

// result is what became of one pod.
type result string

const (
	injected result = "injected"
	plain    result = "created bare, as asked" // a pod without the annotation
	// bare is what must never happen: a pod that asked and came back without.
	bare result = "created bare although it asked"
	// refused is a refusal by colocate itself.
	refused result = "refused by colocate"
	// unreached means that the API server could not call the webhook.
	unreached result = "refused because the webhook could not be called"
	// noServer means that the API server itself did not answer.
	noServer result = "no API server"
)

// create sends one pod through the API server without storing it.
func (c *cluster) create(ctx context.Context, asks bool) (result, error) {
	no := false
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "load-", Namespace: metav1.NamespaceDefault},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			Containers:                   []corev1.Container{{Name: "nginx", Image: "example.org/nginx:1"}},
		},
	}
	if asks {
		p.Annotations = map[string]string{injector.RoleAnnotation: "nginx"}
	}
	got, err := c.client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	switch {
	case err == nil && len(got.Spec.Containers) > 1:
		return injected, nil
	case err == nil && asks:
		return bare, nil
	case err == nil:
		return plain, nil
	case strings.Contains(err.Error(), "failed calling webhook"):
		return unreached, err
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), injector.PodsWebhook):
		return refused, err
	}
	return noServer, err
}

// tally counts results; it keeps one error of each kind, and when the first and
// the last of each kind came.
type tally struct {
	mu      sync.Mutex
	counts  map[result]int
	example map[result]error
	first   map[result]time.Time
	last    map[result]time.Time
}

func (y *tally) add(r result, err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.counts[r]++
	now := time.Now()
	if err != nil && y.example[r] == nil {
		y.example[r] = err
	}
	if y.first[r].IsZero() {
		y.first[r] = now
	}
	y.last[r] = now
}

func (y *tally) count(r result) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.counts[r]
}

func (y *tally) total() (n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, c := range y.counts {
		n += c
	}
	return n
}

// window is the time between the first and the last of a kind.
func (y *tally) window(r result) time.Duration {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.last[r].Sub(y.first[r])
}

func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var lines []string
	for _, r := range slices.Sorted(maps.Keys(y.counts)) {
		line := fmt.Sprintf("%6d %s", y.counts[r], r)
		if err := y.example[r]; err != nil {
			line += fmt.Sprintf(" (within %.1f s; %v)", y.last[r].Sub(y.first[r]).Seconds(), err)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// load creates pods until it is stopped: of five, four ask for the role.
type load struct {
	asking, others *tally
	stop           func()
}

func newTally() *tally {
	return &tally{counts: map[result]int{}, example: map[result]error{}, first: map[result]time.Time{}, last: map[result]time.Time{}}
}

func (c *cluster) load(t *testing.T) *load {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	l := &load{asking: newTally(), others: newTally()}
	var running sync.WaitGroup
	for worker := range 5 {
		running.Go(func() {
			for ctx.Err() == nil {
				asks := worker > 0
				r, err := c.create(ctx, asks)
				switch {
				case ctx.Err() != nil:
				case asks:
					l.asking.add(r, err)
				default:
					l.others.add(r, err)
					time.Sleep(5 * time.Millisecond)
				}
				if r == noServer {
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	var once sync.Once
	l.stop = func() { once.Do(func() { cancel(); running.Wait() }) }
	t.Cleanup(l.stop)
	return l
}

// finish ends the load and prints what was seen.
func (l *load) finish(t *testing.T, what string) {
	t.Helper()
	l.stop()
	t.Logf("%s: %d pods that ask:\n%s\n%d pods that do not:\n%s", what, l.asking.total(), l.asking, l.others.total(), l.others)
	if n := l.asking.count(bare); n > 0 {
		t.Errorf("%s: %d pods asked and came back bare", what, n)
	}
}

// wantNone fails where pods met one of the results.
func (l *load) wantNone(t *testing.T, what string, results ...result) {
	t.Helper()
	for _, y := range []*tally{l.asking, l.others} {
		for _, r := range results {
			if n := y.count(r); n > 0 {
				t.Errorf("%s: %d pods %s: %v", what, n, r, y.example[r])
			}
		}
	}
}
