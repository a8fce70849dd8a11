package serving

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

func template(role string) corev1.PodTemplateSpec {
	p := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.org/main:1"}}},
	}
	if role != "" {
		p.Annotations = map[string]string{injector.RoleAnnotation: role}
	}
	return p
}

// TestWorkloadsAreCommented applies workloads, dry run, and listens to the warnings.
func TestWorkloadsAreCommented(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{})
	withVolume := strings.Replace(role("nginx"), "spec: {colocated: []}", "spec: {colocated: [log-forwarder], volumes: [{name: share, emptyDir: {}}], volumeMounts: [{name: share, mountPath: /share}]}", 1)
	mounting := strings.Replace(forwarder("example.org/f:1"), "    resources:", "    volumeMounts: [{name: share, mountPath: /share}]\n    resources:", 1)
	mustWrite(t, i, configMap("a", "nginx.yaml", withVolume, "log-forwarder.yaml", mounting))
	await(t, i, "nginx", "example.org/f:1")
	for name, labels := range map[string]map[string]string{"left-out": {injector.InjectionLabel: injector.InjectionDisabled}, "shop": nil} {
		if _, err := i.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	h := newHearing(t, i.Server.Config())
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	named := func(annotations map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: "web", Annotations: annotations}
	}
	deployment := func(namespace, role string, annotations map[string]string) func() error {
		return func() error {
			_, err := h.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
				ObjectMeta: named(annotations), Spec: appsv1.DeploymentSpec{Selector: selector, Template: template(role)},
			}, dry)
			return err
		}
	}
	cases := []struct {
		name   string
		create func() error
		want   string // a part of the only warning; "" for none
	}{
		{"Deployment, unknown role", deployment("shop", "ngnix", nil), `colocate: pods of this Deployment will be refused (UnknownRole): role "ngnix" is not defined; did you mean "nginx"?`},
		{"Deployment, in order", deployment("shop", "nginx", nil), ""},
		{"Deployment, not asking", deployment("shop", "", nil), ""},
		{"Deployment, annotated itself", deployment("shop", "", map[string]string{injector.RoleAnnotation: "nginx"}), "colocate: annotation colocate.dev/role on the Deployment itself has no effect; put it on spec.template.metadata.annotations"},
		{"Deployment, left out", deployment("left-out", "nginx", nil), `colocate: nothing is injected in namespace "left-out", which is left out`},
		{"Deployment, of the system", deployment(metav1.NamespaceSystem, "nginx", nil), `colocate: nothing is injected in namespace "kube-system", which is left out`},
		{"StatefulSet, claim", func() error {
			_, err := h.AppsV1().StatefulSets("shop").Create(t.Context(), &appsv1.StatefulSet{
				ObjectMeta: named(nil),
				Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template("nginx"), VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
					ObjectMeta: metav1.ObjectMeta{Name: "share"},
					Spec: corev1.PersistentVolumeClaimSpec{
						AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
						Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
					},
				}}},
			}, dry)
			return err
		}, "colocate: pods of this StatefulSet will be refused (PersistentState): "},
		{"DaemonSet", func() error {
			_, err := h.AppsV1().DaemonSets("shop").Create(t.Context(), &appsv1.DaemonSet{
				ObjectMeta: named(nil), Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template("none")},
			}, dry)
			return err
		}, "colocate: pods of this DaemonSet will be refused (UnknownRole)"},
		{"ReplicaSet", func() error {
			_, err := h.AppsV1().ReplicaSets("shop").Create(t.Context(), &appsv1.ReplicaSet{
				ObjectMeta: named(nil), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template("none")},
			}, dry)
			return err
		}, "colocate: pods of this ReplicaSet will be refused (UnknownRole)"},
		{"Job", func() error {
			p := template("none")
			p.Spec.RestartPolicy = corev1.RestartPolicyNever
			_, err := h.BatchV1().Jobs("shop").Create(t.Context(), &batchv1.Job{ObjectMeta: named(nil), Spec: batchv1.JobSpec{Template: p}}, dry)
			return err
		}, "colocate: pods of this Job will be refused (UnknownRole)"},
		{"CronJob", func() error {
			p := template("none")
			p.Spec.RestartPolicy = corev1.RestartPolicyNever
			_, err := h.BatchV1().CronJobs("shop").Create(t.Context(), &batchv1.CronJob{
				ObjectMeta: named(nil),
				Spec:       batchv1.CronJobSpec{Schedule: "@daily", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: p}}},
			}, dry)
			return err
		}, "colocate: pods of this CronJob will be refused (UnknownRole)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			// The API server may yet have to learn of the caBundle.
			for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(200 * time.Millisecond) {
				if err := c.create(); err != nil {
					t.Fatal(err)
				}
				if got = h.take(); c.want == "" || len(got) > 0 {
					break
				}
			}
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("warnings %q\nwant %q", got, c.want)
			}
		})
	}
}
