// Package injection holds what a platform engineer does on the first day against
// a real API server that calls the real webhook.
package injection

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

const sidecarManifest = "../../examples/sidecar/role-manifest.yml"

// waitKnown waits until the webhook has loaded the definitions: until a pod of
// the role is not refused as unknown any more.
func waitKnown(t *testing.T, i *product.Installation, role string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		_, err := dryRun(t.Context(), i, pod(role, "wait-for-definitions"))
		if err == nil || !strings.Contains(err.Error(), "is not defined") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("role %q did not become known: %v", role, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func pod(role, name string) *corev1.Pod {
	no := false
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			Containers:                   []corev1.Container{{Name: "main", Image: "example.org/main:1"}},
		},
	}
	if role != "" {
		p.Annotations = map[string]string{injector.RoleAnnotation: role}
	}
	return p
}

func dryRun(ctx context.Context, i *product.Installation, p *corev1.Pod) (*corev1.Pod, error) {
	return i.Client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func mustCreate(t *testing.T, i *product.Installation, p *corev1.Pod) *corev1.Pod {
	t.Helper()
	created, err := i.Client.CoreV1().Pods(p.Namespace).Create(t.Context(), p, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func mountPaths(c corev1.Container) map[string]string {
	out := map[string]string{}
	for _, m := range c.VolumeMounts {
		out[m.Name] = m.MountPath
	}
	return out
}

func wantSidecar(t *testing.T, p *corev1.Pod) {
	t.Helper()
	if len(p.Spec.Containers) != 2 || p.Spec.Containers[1].Name != "log-forwarder" {
		t.Fatalf("the pod's containers are %v", p.Spec.Containers)
	}
	shared := 0
	for _, v := range p.Spec.Volumes {
		if v.Name == "common-share" && v.EmptyDir != nil {
			shared++
		}
	}
	if shared != 1 {
		t.Errorf("the pod has %d emptyDir volumes common-share, not one: %v", shared, p.Spec.Volumes)
	}
	for _, c := range p.Spec.Containers {
		if mountPaths(c)["common-share"] != "/mnt/share" {
			t.Errorf("container %q mounts %v", c.Name, mountPaths(c))
		}
	}
	if p.Labels[injector.InjectedLabel] != injector.InjectedValue || p.Annotations[injector.StatusAnnotation] == "" {
		t.Errorf("label %v, annotations %v", p.Labels, p.Annotations)
	}
}

func TestFirstDay(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{})
	before := i.Admissions(t)
	mustCreate(t, i, pod("", "plain"))
	if after := i.Admissions(t); after != before {
		t.Errorf("a pod without the annotation was sent to the webhook:\n%s", after)
	}
	_, err := dryRun(t.Context(), i, pod("nginx", "too-early"))
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `role "nginx" is not defined`) {
		t.Errorf("before there are definitions: %v", err)
	}
	i.Define(t, sidecarManifest)
	waitKnown(t, i, "nginx")

	t.Run("a pod is injected", func(t *testing.T) {
		wantSidecar(t, mustCreate(t, i, pod("nginx", "first")))
	})
	t.Run("a ReplicaSet's pod is injected", func(t *testing.T) { replicaSetPod(t, i) })
	t.Run("a StatefulSet's pod keeps its claim", func(t *testing.T) {
		p := pod("nginx", "web-0")
		p.Spec.Volumes = []corev1.Volume{claim("data")}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/var/data"}}
		created := mustCreate(t, i, p)
		wantSidecar(t, created)
		if mountPaths(created.Spec.Containers[0])["data"] != "/var/data" || mountPaths(created.Spec.Containers[1])["data"] != "" {
			t.Errorf("mounts: %v", created.Spec.Containers)
		}
	})
	t.Run("a claim with the tag's name is refused", func(t *testing.T) {
		p := pod("nginx", "web-1")
		p.Spec.Volumes = []corev1.Volume{claim("common-share")}
		_, err := i.Client.CoreV1().Pods(p.Namespace).Create(t.Context(), p, metav1.CreateOptions{})
		want := `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a PersistentVolumeClaim of this pod; ` +
			`colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own.`
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant a refusal with: %s", err, want)
		}
	})
	t.Run("an unknown role is refused with near names", func(t *testing.T) {
		_, err := dryRun(t.Context(), i, pod("ngnix", "typo"))
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `did you mean "nginx"?`) {
			t.Errorf("%v", err)
		}
	})
	t.Run("a token is mounted into the injected container too", func(t *testing.T) {
		p := pod("nginx", "with-token")
		p.Spec.AutomountServiceAccountToken = nil
		for _, c := range mustCreate(t, i, p).Spec.Containers {
			if len(c.VolumeMounts) != 2 {
				t.Errorf("container %q mounts %v", c.Name, mountPaths(c))
			}
		}
	})
}

func claim(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name + "-web-0"},
	}}
}

func replicaSetPod(t *testing.T, i *product.Installation) {
	yes := true
	p := pod("nginx", "")
	p.GenerateName = "web-6d4b75cb6d-"
	p.Labels = map[string]string{"app": "web"}
	p.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-6d4b75cb6d", UID: types.UID("8c1b6f6e-90a1-4b4e-8f4e-0a6d7e8b9c10"), Controller: &yes,
	}}
	created := mustCreate(t, i, p)
	wantSidecar(t, created)
	if created.Labels["app"] != "web" || !strings.HasPrefix(created.Name, p.GenerateName) {
		t.Errorf("labels %v, name %q", created.Labels, created.Name)
	}
}

// TestTheLogTellsNothing looks for values of pods in the webhook's log.
func TestTheLogTellsNothing(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{}, "--log-level=debug", "--grace-period=0s")
	i.Define(t, sidecarManifest)
	waitKnown(t, i, "nginx")
	p := pod("nginx", "secretive")
	p.Annotations["example.org/note"] = "canary-annotation"
	p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: "canary-value"}}
	mustCreate(t, i, p)
	p = pod("nginx", "refused")
	p.Spec.Volumes = []corev1.Volume{claim("common-share")}
	p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: "canary-value"}}
	if _, err := dryRun(t.Context(), i, p); err == nil {
		t.Error("a claim was not refused")
	}
	if err := i.Replica.Stop(); err != nil { // which writes what waits to be written
		t.Fatal(err)
	}
	log, err := os.ReadFile(i.Replica.Log)
	if err != nil {
		t.Fatal(err)
	}
	for _, canary := range []string{"canary-annotation", "canary-value", "PASSWORD", `"op"`, "volumeMounts"} {
		if strings.Contains(string(log), canary) {
			t.Errorf("the log holds %q:\n%s", canary, log)
		}
	}
	if !strings.Contains(string(log), string(injector.ReasonPersistentState)) {
		t.Errorf("the log does not tell the refusal's reason:\n%s", log)
	}
}
