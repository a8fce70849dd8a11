package cluster

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/manifests"
)

// TestUpgrade replaces image and definitions in place, under pod churn, and goes
// back again.
func TestUpgrade(t *testing.T) {
	suite.environment.Test(t, scenario("upgrade",
		step{"the next image is applied over the installed one", func(ctx context.Context, t *testing.T, s *scene) {
			churn := s.churn(ctx)
			if err := install(ctx, s.config, nextImage); err != nil {
				t.Error(err)
			}
			churn.end(t)
			s.wantWebhookImage(ctx, t, nextImage)
		}},
		step{"so are new definitions", func(ctx context.Context, t *testing.T, s *scene) {
			if err := define(ctx, s.c, newForwarder); err != nil {
				t.Fatal(err)
			}
			s.web(ctx, t, 1)
			s.wantForwarder(ctx, t, newForwarder)
		}},
		step{"and the way back is the same", func(ctx context.Context, t *testing.T, s *scene) {
			if err := install(ctx, s.config, manifests.Image); err != nil {
				t.Fatal(err)
			}
			s.wantWebhookImage(ctx, t, manifests.Image)
			s.wantForwarder(ctx, t, newForwarder)
			s.wantState(ctx, t, "behind")
		}},
	))
}

// wantWebhookImage looks at the pods of the webhook that are not on their way out.
func (s *scene) wantWebhookImage(ctx context.Context, t *testing.T, image string) {
	t.Helper()
	var list corev1.PodList
	if err := s.c.List(ctx, &list, client.InNamespace(manifests.Namespace)); err != nil {
		t.Fatal(err)
	}
	staying := 0
	for _, pod := range list.Items {
		if pod.DeletionTimestamp != nil {
			continue
		}
		staying++
		if refs := imageRefs(&pod); !slices.Equal(refs, []string{image}) {
			t.Errorf("pod %s runs %q, want %q", pod.Name, refs, image)
		}
	}
	if staying != 2 {
		t.Errorf("%d pods of the webhook, want 2", staying)
	}
}

// TestUninstall: nothing stays, pods start without us, and a second installation
// works like the first.
func TestUninstall(t *testing.T) {
	suite.environment.Test(t, scenario("uninstall",
		step{"a pod is injected", func(ctx context.Context, t *testing.T, s *scene) {
			s.web(ctx, t, 1)
			s.wantForwarder(ctx, t, forwarder)
		}},
		step{"colocate is removed, and nothing of it stays", func(ctx context.Context, t *testing.T, s *scene) {
			if err := uninstall(ctx, s.config); err != nil {
				t.Fatal(err)
			}
		}},
		step{"the injected pod goes on", func(ctx context.Context, t *testing.T, s *scene) {
			s.wantForwarder(ctx, t, forwarder)
		}},
		step{"a new pod that asks for a role starts without it", func(ctx context.Context, t *testing.T, s *scene) {
			if err := s.create(ctx, pod("asks", map[string]string{roleAnnotation: "nginx"})); err != nil {
				t.Fatal(err)
			}
			if refs := imageRefs(&s.pods(ctx, t, "asks", 1)[0]); len(refs) != 1 {
				t.Errorf("the pod runs %q, want its own container alone", refs)
			}
		}},
		step{"colocate is installed again and injects", func(ctx context.Context, t *testing.T, s *scene) {
			if err := install(ctx, s.config, manifests.Image); err != nil {
				t.Fatal(err)
			}
			p := pod("again", map[string]string{roleAnnotation: "nginx"})
			if err := s.create(ctx, p); err != nil {
				t.Fatal(err)
			}
			if refs := imageRefs(&s.pods(ctx, t, "again", 1)[0]); !slices.Contains(refs, forwarder) {
				t.Error(fmt.Errorf("the pod runs %q, want the log forwarder, too", refs))
			}
		}},
	))
}
