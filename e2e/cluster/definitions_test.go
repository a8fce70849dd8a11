package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestDefinitionsChange: pods that are there stay as they are, new ones get the new
// container, and `colocate status` tells which are behind.
func TestDefinitionsChange(t *testing.T) {
	suite.environment.Test(t, scenario("definitions",
		step{"a pod has the log forwarder of today", func(ctx context.Context, t *testing.T, s *scene) {
			s.web(ctx, t, 1)
			s.wantForwarder(ctx, t, forwarder)
			s.wantState(ctx, t, "current")
		}},
		step{"a new definition leaves it alone, and status lists it", func(ctx context.Context, t *testing.T, s *scene) {
			if err := define(ctx, s.c, newForwarder); err != nil {
				t.Fatal(err)
			}
			s.wantForwarder(ctx, t, forwarder)
			s.wantState(ctx, t, "behind")
		}},
		step{"a restart brings the new container", func(ctx context.Context, t *testing.T, s *scene) {
			if err := restart(ctx, s.c, client.ObjectKey{Namespace: s.namespace, Name: "web"}); err != nil {
				t.Fatal(err)
			}
			must(ctx, t, func(ctx context.Context) error { return s.forwarderIs(ctx, newForwarder) })
			s.wantState(ctx, t, "current")
		}},
		step{"the old definition can be put back", func(ctx context.Context, t *testing.T, s *scene) {
			if err := define(ctx, s.c, forwarder); err != nil {
				t.Fatal(err)
			}
			s.wantState(ctx, t, "behind")
		}},
	))
}

// web applies the example of the sidecar with another number of replicas.
func (s *scene) web(ctx context.Context, t *testing.T, replicas int) {
	t.Helper()
	edit := strings.NewReplacer("replicas: 3", fmt.Sprintf("replicas: %d", replicas))
	if err := apply(ctx, s.c, s.read(t, "sidecar/workload.yaml", edit)...); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) wantForwarder(ctx context.Context, t *testing.T, image string) {
	t.Helper()
	s.pods(ctx, t, "web", 1)
	if err := s.forwarderIs(ctx, image); err != nil {
		t.Error(err)
	}
}

// forwarderIs fails unless the one pod of web runs a version of the forwarder.
func (s *scene) forwarderIs(ctx context.Context, image string) error {
	pods, err := s.list(ctx, "web")
	if err != nil {
		return err
	}
	if len(pods) != 1 || !isReady(&pods[0]) {
		return fmt.Errorf("%d pods: %s", len(pods), podStates(ctx, s.c, s.namespace))
	}
	if refs := imageRefs(&pods[0]); !slices.Contains(refs, image) {
		return fmt.Errorf("the pod runs %q, want %q", refs, image)
	}
	return nil
}

// wantState waits until `colocate status` says that of deployment/web.
func (s *scene) wantState(ctx context.Context, t *testing.T, want string) {
	t.Helper()
	must(ctx, t, func(ctx context.Context) error {
		command := exec.CommandContext(ctx, suite.binary, "status", "--kubeconfig", suite.cluster.Kubeconfig(), "--in", s.namespace, "-o", "json")
		out, err := command.Output()
		if err != nil {
			return fmt.Errorf("colocate status: %w", err)
		}
		var answer struct {
			Workloads []struct{ Workload, State string }
		}
		if err := json.Unmarshal(out, &answer); err != nil {
			return err
		}
		for _, w := range answer.Workloads {
			if strings.HasPrefix(w.Workload, "deployment/web") && w.State == want {
				return nil
			}
		}
		return fmt.Errorf("colocate status has no deployment/web that is %s: %s", want, out)
	})
}

// restart does what `kubectl rollout restart` does to a Deployment.
func restart(ctx context.Context, c client.Client, key client.ObjectKey) error {
	deployment := &appsv1.Deployment{}
	deployment.Namespace, deployment.Name = key.Namespace, key.Name
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":%q}}}}}`,
		time.Now().Format(time.RFC3339Nano))
	return c.Patch(ctx, deployment, client.RawPatch(types.StrategicMergePatchType, []byte(patch)))
}
