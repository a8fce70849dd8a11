package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"colocate.dev/colocate/injector"
)

// uidMark is the uid of every review; the sender writes a fresh one of the same
// length over it.
const uidMark = "00000000-0000-4000-8000-000000000000"

const role = "web"

//go:embed definitions.yaml
var definitions string

// manyDefinitions are the definitions with so many further main roles.
func manyDefinitions(n int) string {
	var b strings.Builder
	b.WriteString(definitions)
	for i := range n {
		fmt.Fprintf(&b, "  web-%d.yaml: |\n    apiVersion: colocate.dev/v1\n    kind: Role\n    metadata: {name: web-%d}\n    spec:\n      colocated: [log-forwarder]\n", i, i)
	}
	return b.String()
}

// review is what the API server sends for one pod.
type review struct {
	name string
	body []byte
	// pod is the object in it; asks is whether it carries the annotation.
	pod  []byte
	asks bool
}

// reviews are pods of three sizes, and a small one that asks for nothing.
func reviews() ([]review, error) {
	var all []review
	for _, shape := range []struct {
		name                     string
		containers, env, remarks int
		asks                     bool
	}{
		{"small", 1, 13, 0, true},
		{"medium", 5, 8, 0, true},
		{"large", 12, 108, 48, true},
		{"not asked", 1, 13, 0, false},
	} {
		p := podOf(shape.containers, shape.env, shape.remarks)
		if shape.asks {
			p.Annotations[injector.RoleAnnotation] = role
		}
		r := review{name: shape.name, asks: shape.asks}
		var err error
		if r.pod, err = json.Marshal(p); err != nil {
			return nil, err
		}
		if r.body, err = json.Marshal(envelope(r.pod, p.Namespace)); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func envelope(pod []byte, namespace string) admissionv1.AdmissionReview {
	kind := metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}
	pods := metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
	no := false
	request := &admissionv1.AdmissionRequest{
		UID: uidMark, Kind: kind, RequestKind: &kind, Resource: pods, RequestResource: &pods,
		Namespace: namespace, Operation: admissionv1.Create, DryRun: &no,
		Object:  runtime.RawExtension{Raw: pod},
		Options: runtime.RawExtension{Raw: []byte(`{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}`)},
	}
	request.UserInfo.Username = "system:serviceaccount:kube-system:replicaset-controller"
	request.UserInfo.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}
	return admissionv1.AdmissionReview{TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/v1"}, Request: request}
}

// podOf makes a pod as a ReplicaSet creates it and the API server's own plugins
// complete it.
func podOf(containers, env, remarks int) *corev1.Pod {
	const token = "kube-api-access-7xk2p"
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "web-6d4b75cb6d-", Namespace: metav1.NamespaceDefault,
			Labels:      map[string]string{"app": "web", "pod-template-hash": "6d4b75cb6d"},
			Annotations: map[string]string{"example.org/checksum": strings.Repeat("9f86d081", 8)},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyAlways, DNSPolicy: corev1.DNSClusterFirst,
			ServiceAccountName: "default", SchedulerName: corev1.DefaultSchedulerName,
			SecurityContext: &corev1.PodSecurityContext{},
			Tolerations: []corev1.Toleration{
				{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
				{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
			},
			Volumes: []corev1.Volume{{Name: token, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
				Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}},
			}}}},
		},
	}
	for i := range remarks {
		p.Annotations[fmt.Sprintf("example.org/remark-%02d", i)] = strings.Repeat("A line with \"quotes\"\tand a tab. ", 24)
	}
	var owned strings.Builder
	for i := range containers {
		c := containerOf(i, env)
		c.VolumeMounts = []corev1.VolumeMount{{Name: token, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}
		p.Spec.Containers = append(p.Spec.Containers, c)
		fmt.Fprintf(&owned, `,"k:{\"name\":\"%s\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:env":{".":{}`, c.Name)
		for _, e := range c.Env {
			fmt.Fprintf(&owned, `,"k:{\"name\":\"%s\"}":{".":{},"f:name":{},"f:value":{}}`, e.Name)
		}
		owned.WriteString("}}")
	}
	p.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:containers":{".":{}` + owned.String() + `}}}`),
	}}
	return p
}

func containerOf(n, env int) corev1.Container {
	c := corev1.Container{
		Name: fmt.Sprintf("part-%02d", n), Image: fmt.Sprintf("example.org/shop/part-%02d:1.42.0", n),
		Args:  []string{"--config=/etc/part/config.yaml"},
		Ports: []corev1.ContainerPort{{Name: fmt.Sprintf("http-%d", n), ContainerPort: int32(9000 + n), Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
		}},
		TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy: corev1.PullIfNotPresent,
	}
	for i := range env {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("PART_%02d_SETTING_%03d", n, i), Value: fmt.Sprintf(`http://svc-%d.shop.svc:80/"quoted"`, i)})
	}
	return c
}
