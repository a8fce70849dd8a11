package cluster

import (
	"context"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRefusals holds that people see why their pods do not come.
func TestRefusals(t *testing.T) {
	suite.environment.TestInParallel(t,
		scenario("persistent-state", applies("statefulset/refused.yaml"),
			step{"the StatefulSet's events say why it has no pods", claimRefused}),
		scenario("unknown-role",
			step{"the answer to kubectl apply carries a warning", unknownRoleWarned},
			step{"the events say why there are no pods", unknownRoleRefused}),
	)
}

func claimRefused(ctx context.Context, t *testing.T, s *scene) {
	s.event(ctx, t, "StatefulSet/archive", "FailedCreate", `colocated container "backup" mounts "records"`)
	s.event(ctx, t, "StatefulSet/archive", "FailedCreate", "colocated containers cannot keep persistent state")
	s.pods(ctx, t, "archive", 0)
}

// warnings keeps what the API server warns of.
type warnings struct {
	mu   sync.Mutex
	text []string
}

// HandleWarningHeader keeps a warning.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

// warned is a client that keeps warnings as kubectl would print them.
func (s *scene) warned(t *testing.T) (client.Client, *warnings) {
	t.Helper()
	heard := &warnings{}
	config := rest.CopyConfig(s.config.Client().RESTConfig())
	config.WarningHandler = heard
	config.WarningHandlerWithContext = nil
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, heard
}

// unknownRoleWarned applies a Deployment whose role has a letter too few.
func unknownRoleWarned(ctx context.Context, t *testing.T, s *scene) {
	c, heard := s.warned(t)
	objects := s.read(t, "sidecar/workload.yaml", strings.NewReplacer("role: nginx", "role: ngin"))
	if err := apply(ctx, c, objects...); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(heard.text, "\n")
	for _, want := range []string{`role "ngin"`, `"nginx"`} {
		if !strings.Contains(all, want) {
			t.Errorf("the warnings are %q, want one with %s", all, want)
		}
	}
}

func unknownRoleRefused(ctx context.Context, t *testing.T, s *scene) {
	must(ctx, t, func(ctx context.Context) error {
		for _, line := range s.events(ctx) {
			if strings.HasPrefix(line, "ReplicaSet/web-") && strings.Contains(line, "FailedCreate") && strings.Contains(line, `role "ngin"`) {
				return nil
			}
		}
		return errNotYet
	})
	s.pods(ctx, t, "web", 0)
}
