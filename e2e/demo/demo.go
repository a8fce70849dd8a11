package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

const manifest = "examples/sidecar/role-manifest.yml"

// run does all steps; whatever it starts it stops, also after an error.
func run(ctx context.Context, p *printer) (err error) {
	folder, err := os.MkdirTemp("", "colocate-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	p.title("Building colocate")
	binary, err := product.Build(ctx, folder)
	if err != nil {
		return err
	}
	p.title("Starting etcd and kube-apiserver")
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	d := demo{printer: p, binary: binary, folder: folder, server: server}
	return d.show(ctx)
}

type demo struct {
	*printer
	binary, folder string
	server         *apiserver.Server
	client         kubernetes.Interface
}

func (d *demo) show(ctx context.Context) error {
	var err error
	if d.client, err = kubernetes.NewForConfig(d.server.Config()); err != nil {
		return err
	}
	d.title("The role manifest: %s", manifest)
	text, err := os.ReadFile(manifest)
	if err != nil {
		return fmt.Errorf("%w: run this in the folder of go.mod, as make demo does", err)
	}
	d.text(string(text))

	d.title("Installing: manifests/base, and the ConfigMap that `colocate build` prints")
	replica, err := d.install(ctx)
	if err != nil {
		return err
	}
	defer replica.Kill()
	if err := d.inject(ctx); err != nil {
		return err
	}
	if err := d.refuse(ctx); err != nil {
		return err
	}
	d.title("How to go on")
	d.text("The same without any cluster, in seconds:\n\n" +
		d.paint(cyan, "  go run ./cmd/colocate inject -f examples/sidecar/workload.yaml --manifest "+manifest+" -o diff") + "\n\n" +
		"What is decided about a pod, rule by rule: colocate explain. On your cluster: docs/install.md.\n" +
		"Everything that was started here has been stopped.")
	return nil
}

// install applies the base, serves the webhook and applies the definitions.
func (d *demo) install(ctx context.Context) (*product.Replica, error) {
	port, err := product.FreePort("127.0.0.1")
	if err != nil {
		return nil, err
	}
	kubeconfig, err := product.Install(ctx, d.server, "https://127.0.0.1:"+strconv.Itoa(port), d.folder)
	if err != nil {
		return nil, err
	}
	var definitions, stderr bytes.Buffer
	build := exec.CommandContext(ctx, d.binary, "build", manifest)
	build.Stdout, build.Stderr = &definitions, &stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("colocate build: %w\n%s", err, stderr.Bytes())
	}
	objects, err := apiserver.Objects(definitions.Bytes())
	if err != nil {
		return nil, err
	}
	if err := d.server.Apply(ctx, objects...); err != nil {
		return nil, err
	}
	return product.ServeReady(ctx, product.Options{
		Binary: d.binary, Kubeconfig: kubeconfig, Port: port, Log: filepath.Join(d.folder, "webhook.log"),
	})
}

// inject creates a pod that asks for the role and shows what became of it.
func (d *demo) inject(ctx context.Context) error {
	pod := nginx("web")
	before, err := printed(pod)
	if err != nil {
		return err
	}
	created, err := d.client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	after, err := printed(created)
	if err != nil {
		return err
	}
	d.title("A pod with the annotation %s: nginx, as the API server stored it", injector.RoleAnnotation)
	d.diff(before, after)
	return nil
}

// refuse creates a pod whose colocated container would write to a claim.
func (d *demo) refuse(ctx context.Context) error {
	pod := nginx("web-with-claim")
	pod.Spec.Volumes = []corev1.Volume{{Name: "common-share", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	d.title("The same pod with a claim called common-share")
	_, err := d.client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, pod, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) {
		return fmt.Errorf("the pod was not refused as it should be: %w", err)
	}
	d.text(d.paint(red, err.Error()))
	return nil
}

func nginx(name string) *corev1.Pod {
	no := false
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: metav1.NamespaceDefault,
			Annotations: map[string]string{injector.RoleAnnotation: "nginx"},
		},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			Containers: []corev1.Container{{
				Name: "nginx", Image: "example.org/nginx:1.27",
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 80}},
			}},
		},
	}
}

// printed is the pod without what the API server fills into every pod.
func printed(pod *corev1.Pod) (string, error) {
	p := pod.DeepCopy()
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	p.ObjectMeta = metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace, Labels: p.Labels, Annotations: p.Annotations}
	p.Status = corev1.PodStatus{}
	spec := corev1.PodSpec{Containers: p.Spec.Containers, InitContainers: p.Spec.InitContainers, Volumes: p.Spec.Volumes}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		c.TerminationMessagePath, c.TerminationMessagePolicy, c.ImagePullPolicy = "", "", ""
		for j := range c.Ports {
			c.Ports[j].Protocol = ""
		}
	}
	p.Spec = spec
	out, err := yaml.Marshal(p)
	return string(bytes.ReplaceAll(out, []byte("status: {}\n"), nil)), err
}
