package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/pkg/types"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
)

const roleAnnotation = injector.RoleAnnotation

// scene is a namespace of its own for one scenario.
type scene struct {
	config    *envconf.Config
	namespace string
	c         client.Client
	core      kubernetes.Interface
}

// step is one sentence of a scenario and what proves it.
type step struct {
	sentence string
	check    func(ctx context.Context, t *testing.T, s *scene)
}

// scenario is a feature whose steps share a scene, which goes with it. Its name is
// the namespace's, too.
func scenario(name string, steps ...step) types.Feature {
	s := &scene{namespace: "e2e-" + name}
	feature := features.New(name).Setup(func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
		t.Helper()
		s.config, s.c = config, kubernetesClient(config)
		var err error
		if s.core, err = kubernetes.NewForConfig(config.Client().RESTConfig()); err != nil {
			t.Fatal(err)
		}
		if err := s.c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}); err != nil {
			t.Fatal(err)
		}
		if err := until(ctx, patience, s.accountThere); err != nil {
			t.Fatal(err)
		}
		return ctx
	})
	for _, step := range steps {
		feature.Assess(step.sentence, func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			t.Helper()
			started := time.Now()
			step.check(ctx, t, s)
			t.Logf("%.1f s", time.Since(started).Seconds())
			return ctx
		})
	}
	feature.Teardown(func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		t.Helper()
		if t.Failed() {
			t.Log(podStates(ctx, s.c, s.namespace))
			t.Log(strings.Join(s.events(ctx), "\n"))
		}
		if err := s.c.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}); err != nil {
			t.Error(err)
		}
		return ctx
	})
	return feature.Feature()
}

// accountThere fails until pods can be created.
func (s *scene) accountThere(ctx context.Context) error {
	_, err := s.core.CoreV1().ServiceAccounts(s.namespace).Get(ctx, "default", metav1.GetOptions{})
	return err
}

// applies is a step that applies the objects of a file of the examples.
func applies(path string) step {
	return step{"kubectl apply -f examples/" + path, func(ctx context.Context, t *testing.T, s *scene) {
		t.Helper()
		if err := apply(ctx, s.c, s.read(t, path, strings.NewReplacer())...); err != nil {
			t.Fatal(err)
		}
	}}
}

// read gives the objects of a file of the examples, edited, for the scene's
// namespace.
func (s *scene) read(t *testing.T, path string, edit *strings.Replacer) []*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", path))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := apiserver.Objects([]byte(edit.Replace(string(text))))
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		object.SetNamespace(s.namespace)
	}
	return objects
}

// must waits until do succeeds.
func must(ctx context.Context, t *testing.T, do func(context.Context) error) {
	t.Helper()
	if err := until(ctx, patience, do); err != nil {
		t.Fatal(err)
	}
}

// pods waits until the namespace has pods with a label app, all of them ready, and
// gives them; there must be count of them.
func (s *scene) pods(ctx context.Context, t *testing.T, app string, count int) []corev1.Pod {
	t.Helper()
	var pods []corev1.Pod
	must(ctx, t, func(ctx context.Context) error {
		var err error
		if pods, err = s.list(ctx, app); err != nil {
			return err
		}
		ready := 0
		for i := range pods {
			if isReady(&pods[i]) {
				ready++
			}
		}
		if ready != count || len(pods) != count {
			return fmt.Errorf("%d pods of %q, %d ready, want %d: %s", len(pods), app, ready, count, podStates(ctx, s.c, s.namespace))
		}
		return nil
	})
	return pods
}

// list gives the pods with a label app.
func (s *scene) list(ctx context.Context, app string) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := s.c.List(ctx, &list, client.InNamespace(s.namespace), client.MatchingLabels{"app": app})
	return list.Items, err
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil
		}
	}
	return false
}

// logs waits until a container has printed a text.
func (s *scene) logs(ctx context.Context, t *testing.T, pod, container, text string) {
	t.Helper()
	must(ctx, t, func(ctx context.Context) error {
		out, err := s.core.CoreV1().Pods(s.namespace).GetLogs(pod, &corev1.PodLogOptions{Container: container}).DoRaw(ctx)
		if err != nil {
			return err
		}
		if !strings.Contains(string(out), text) {
			return fmt.Errorf("the log of container %q has no %q:\n%s", container, text, out)
		}
		return nil
	})
}

// get asks a port of a pod through the API server.
func (s *scene) get(ctx context.Context, pod, port, path string) (string, error) {
	out, err := s.core.CoreV1().Pods(s.namespace).ProxyGet("http", pod, port, path, nil).DoRaw(ctx)
	return string(out), err
}

// event waits for an event of an object whose message holds a text.
func (s *scene) event(ctx context.Context, t *testing.T, object, reason, text string) {
	t.Helper()
	must(ctx, t, func(ctx context.Context) error {
		for _, line := range s.events(ctx) {
			if strings.HasPrefix(line, object+" "+reason+": ") && strings.Contains(line, text) {
				return nil
			}
		}
		return fmt.Errorf("no event %q of %s with %q", reason, object, text)
	})
}

// events are those of the namespace, as "Kind/name reason: message".
func (s *scene) events(ctx context.Context) []string {
	var list corev1.EventList
	if err := s.c.List(ctx, &list, client.InNamespace(s.namespace)); err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for _, e := range list.Items {
		lines = append(lines, fmt.Sprintf("%s/%s %s: %s", e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Reason, e.Message))
	}
	return lines
}

// podStates sums up the pods of a namespace for a message.
func podStates(ctx context.Context, c client.Client, namespace string) string {
	var list corev1.PodList
	if err := c.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return err.Error()
	}
	var lines []string
	for _, pod := range list.Items {
		line := fmt.Sprintf("pod %s %s", pod.Name, pod.Status.Phase)
		for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
			line += fmt.Sprintf("; %s ready=%t restarts=%d", status.Name, status.Ready, status.RestartCount)
			if status.State.Waiting != nil {
				line += " " + status.State.Waiting.Reason + " " + status.State.Waiting.Message
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// pod is the smallest pod, of the web server's stand-in.
func pod(name string, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "nginx", Image: "example.org/nginx:1.27", Args: []string{"--log=/tmp"},
		}}},
	}
}

// imageRefs are the images of all containers of a pod.
func imageRefs(pod *corev1.Pod) []string {
	var refs []string
	for _, c := range append(append([]corev1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
		refs = append(refs, c.Image)
	}
	return refs
}

// create makes a pod in the scene's namespace.
func (s *scene) create(ctx context.Context, pod *corev1.Pod) error {
	pod.Namespace = s.namespace
	return s.c.Create(ctx, pod)
}

var errNotYet = errors.New("not yet")
