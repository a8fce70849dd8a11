package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1 "k8s.io/api/apps/v1"

	"colocate.dev/colocate/manifests"
)

var webhookKey = client.ObjectKey{Namespace: manifests.Namespace, Name: "colocate"}

// TestRollingRestart: not one admission is lost while every replica is replaced.
func TestRollingRestart(t *testing.T) {
	suite.environment.Test(t, scenario("rolling-restart",
		step{"pods are created all the time while the webhook restarts", func(ctx context.Context, t *testing.T, s *scene) {
			churn := s.churn(ctx)
			for range 2 {
				if err := restart(ctx, s.c, webhookKey); err != nil {
					t.Error(err)
				}
				if err := rolledOut(ctx, s.c); err != nil {
					t.Error(err)
				}
			}
			must(ctx, t, func(ctx context.Context) error { return webhookPods(ctx, s.c, 2) })
			churn.end(t)
		}},
	))
}

// churn creates and deletes pods that ask for a role until it ends.
type churn struct {
	cancel  context.CancelFunc
	done    sync.WaitGroup
	mu      sync.Mutex
	created int
	errs    []error
}

// churn starts with two clients. The pods wait for a gate, so that no node runs
// them.
func (s *scene) churn(ctx context.Context) *churn {
	ch := &churn{}
	ctx, ch.cancel = context.WithCancel(ctx)
	for client := range 2 {
		ch.done.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				err := s.createAndDelete(fmt.Sprintf("churn-%d-%d", client, i))
				ch.mu.Lock()
				ch.created++
				if err != nil {
					ch.errs = append(ch.errs, err)
				}
				ch.mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	return ch
}

// createAndDelete fails where the pod is refused or comes without its container.
func (s *scene) createAndDelete(name string) error {
	ctx := context.Background() // an interrupted request would look like a lost one
	p := pod(name, map[string]string{roleAnnotation: "nginx"})
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.org/never"}}
	if err := s.create(ctx, p); err != nil {
		return err
	}
	var err error
	if !slices.Contains(imageRefs(p), forwarder) {
		err = fmt.Errorf("pod %s came without its container: %q", name, imageRefs(p))
	}
	return errors.Join(err, s.c.Delete(ctx, p, client.GracePeriodSeconds(0)))
}

// end stops the churn; every pod must have come with its container.
func (ch *churn) end(t *testing.T) {
	t.Helper()
	ch.cancel()
	ch.done.Wait()
	t.Logf("%d pods created, %d failures", ch.created, len(ch.errs))
	if ch.created < 50 {
		t.Errorf("only %d pods were created: too few to tell", ch.created)
	}
	if len(ch.errs) > 0 {
		t.Errorf("%d of %d creations failed; the first: %v", len(ch.errs), ch.created, ch.errs[0])
	}
}

// webhookPods fails unless so many pods of the webhook are there.
func webhookPods(ctx context.Context, c client.Client, want int) error {
	var list corev1.PodList
	if err := c.List(ctx, &list, client.InNamespace(manifests.Namespace)); err != nil {
		return err
	}
	if len(list.Items) != want {
		return fmt.Errorf("%d pods of the webhook, want %d: %s", len(list.Items), want, podStates(ctx, c, manifests.Namespace))
	}
	return nil
}

// TestOutage: without any webhook pod, pods that ask for no role start, the others
// wait and come when the webhook is back.
func TestOutage(t *testing.T) {
	suite.environment.Test(t, scenario("outage",
		step{"all webhook pods are deleted", func(ctx context.Context, t *testing.T, s *scene) {
			if err := scale(ctx, s.c, 0); err != nil {
				t.Fatal(err)
			}
			must(ctx, t, func(ctx context.Context) error {
				err := s.c.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(manifests.Namespace), client.GracePeriodSeconds(0))
				return errors.Join(err, webhookPods(ctx, s.c, 0))
			})
		}},
		step{"a plain pod starts", func(ctx context.Context, t *testing.T, s *scene) {
			if err := s.create(ctx, pod("plain", nil)); err != nil {
				t.Fatal(err)
			}
			s.pods(ctx, t, "plain", 1)
		}},
		step{"a pod that asks for a role does not come, and is told why", func(ctx context.Context, t *testing.T, s *scene) {
			err := s.create(ctx, pod("asks", map[string]string{roleAnnotation: "nginx"}))
			if err == nil || !strings.Contains(err.Error(), "pods.colocate.dev") {
				t.Errorf("error is %v, want one that names the webhook", err)
			}
			s.web(ctx, t, 1)
			must(ctx, t, func(ctx context.Context) error {
				for _, line := range s.events(ctx) {
					if strings.Contains(line, "FailedCreate") && strings.Contains(line, "pods.colocate.dev") {
						return nil
					}
				}
				return errNotYet
			})
			s.pods(ctx, t, "web", 0)
		}},
		step{"it comes, with its container, when the webhook is back", func(ctx context.Context, t *testing.T, s *scene) {
			if err := scale(ctx, s.c, 2); err != nil {
				t.Fatal(err)
			}
			if err := rolledOut(ctx, s.c); err != nil {
				t.Fatal(err)
			}
			s.wantForwarder(ctx, t, forwarder)
		}},
	))
}

// scale sets the webhook's replicas.
func scale(ctx context.Context, c client.Client, replicas int) error {
	deployment := &appsv1.Deployment{}
	deployment.Namespace, deployment.Name = webhookKey.Namespace, webhookKey.Name
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	return c.Patch(ctx, deployment, client.RawPatch(types.MergePatchType, patch))
}
