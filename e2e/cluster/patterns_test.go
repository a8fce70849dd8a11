package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPatterns runs every example: what its README promises, seen in the logs and
// ports of running containers.
func TestPatterns(t *testing.T) {
	suite.environment.TestInParallel(t,
		scenario("sidecar", applies("sidecar/workload.yaml"),
			step{"the forwarder prints what the web server writes", sidecarForwards}),
		scenario("ambassador", applies("ambassador/workload.yaml"),
			step{"the ambassador answers the shop on localhost", ambassadorAnswers}),
		scenario("adapter", applies("adapter/workload.yaml"),
			step{"the adapter serves the counter's statistic as metrics", adapterServes}),
		scenario("init", applies("init/workload.yaml"),
			step{"the site reads what the init container has prepared", sitePrepared}),
		scenario("job", applies("job/workload.yaml"),
			step{"the Job completes although its companion never ends", jobCompletes},
			step{"so does a Job of the CronJob", cronJobCompletes}),
		scenario("statefulset",
			step{"there is a volume for the claim", volumeFor("data-store-0")},
			applies("statefulset/workload.yaml"),
			step{"the store has its claim, and its companion", storeHasBoth}),
	)
}

func sidecarForwards(ctx context.Context, t *testing.T, s *scene) {
	for i, pod := range s.pods(ctx, t, "web", 3) {
		path := fmt.Sprintf("/hello-%d", i)
		must(ctx, t, func(ctx context.Context) error {
			out, err := s.get(ctx, pod.Name, "80", path)
			if err == nil && !strings.Contains(out, path) {
				err = fmt.Errorf("the web server answers %q", out)
			}
			return err
		})
		s.logs(ctx, t, pod.Name, "log-forwarder", "GET "+path)
		if container := pod.Annotations["kubectl.kubernetes.io/default-container"]; container != "nginx" {
			t.Errorf("kubectl logs without -c shows %q, want the role's own container", container)
		}
	}
}

func ambassadorAnswers(ctx context.Context, t *testing.T, s *scene) {
	pod := s.pods(ctx, t, "shop", 1)[0]
	s.logs(ctx, t, pod.Name, "shop", "answer: the orders database through the ambassador, path /orders")
}

func adapterServes(ctx context.Context, t *testing.T, s *scene) {
	pod := s.pods(ctx, t, "counter", 1)[0]
	must(ctx, t, func(ctx context.Context) error {
		out, err := s.get(ctx, pod.Name, "9102", "/metrics")
		if err == nil && !strings.Contains(out, "counter_up 1\n") {
			err = fmt.Errorf("the metrics are %q", out)
		}
		return err
	})
}

func sitePrepared(ctx context.Context, t *testing.T, s *scene) {
	pod := s.pods(ctx, t, "site", 1)[0]
	s.logs(ctx, t, pod.Name, "site", "read: colour=green")
	if len(pod.Spec.InitContainers) != 1 || pod.Spec.InitContainers[0].RestartPolicy != nil {
		t.Errorf("init containers: %v, want one that ends", pod.Spec.InitContainers)
	}
}

func jobCompletes(ctx context.Context, t *testing.T, s *scene) {
	s.completed(ctx, t, "report", func(job *batchv1.Job) bool { return job.Name == "report" })
}

// cronJobCompletes looks at the CronJob's own schedule, which is every minute.
func cronJobCompletes(ctx context.Context, t *testing.T, s *scene) {
	s.completed(ctx, t, "report", func(job *batchv1.Job) bool {
		return slices.ContainsFunc(job.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "CronJob" })
	})
}

// completed waits for a Job that has completed, and looks at its pod.
func (s *scene) completed(ctx context.Context, t *testing.T, container string, which func(*batchv1.Job) bool) {
	t.Helper()
	var found batchv1.Job
	must(ctx, t, func(ctx context.Context) error {
		var list batchv1.JobList
		if err := s.c.List(ctx, &list, client.InNamespace(s.namespace)); err != nil {
			return err
		}
		i := slices.IndexFunc(list.Items, func(job batchv1.Job) bool { return which(&job) })
		if i < 0 {
			return errNotYet
		}
		found = list.Items[i]
		if found.Status.Succeeded != 1 {
			return fmt.Errorf("job %s has not completed: %s", found.Name, podStates(ctx, s.c, s.namespace))
		}
		return nil
	})
	var pods corev1.PodList
	if err := s.c.List(ctx, &pods, client.InNamespace(s.namespace), client.MatchingLabels{"batch.kubernetes.io/job-name": found.Name}); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 1 {
		t.Fatalf("job %s has %d pods, want 1", found.Name, len(pods.Items))
	}
	s.logs(ctx, t, pods.Items[0].Name, container, "worker has ended")
	s.logs(ctx, t, pods.Items[0].Name, "report-log", "worker.log: part 3 of 3 done")
}

// volumeFor makes a volume on the node for one claim of the scene.
func volumeFor(claim string) func(context.Context, *testing.T, *scene) {
	return func(ctx context.Context, t *testing.T, s *scene) {
		t.Helper()
		kind := corev1.HostPathDirectoryOrCreate
		volume := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")},
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				ClaimRef:    &corev1.ObjectReference{Namespace: s.namespace, Name: claim},
				PersistentVolumeSource: corev1.PersistentVolumeSource{
					HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/colocate-e2e", Type: &kind},
				},
			},
		}
		if err := s.c.Create(ctx, volume); err != nil {
			t.Fatal(err)
		}
	}
}

func storeHasBoth(ctx context.Context, t *testing.T, s *scene) {
	pod := s.pods(ctx, t, "store", 1)[0]
	if !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == "data-store-0"
	}) {
		t.Errorf("the pod has no claim: %v", pod.Spec.Volumes)
	}
	s.logs(ctx, t, pod.Name, "store-log", "store.log: record of ")
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}
	if err := s.c.Delete(ctx, volume); err != nil {
		t.Error(err)
	}
}
