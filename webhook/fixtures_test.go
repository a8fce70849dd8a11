package webhook

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

const namespace = "colocate-system"

// Documents of a definitions ConfigMap.
const (
	nginxDocument = `apiVersion: colocate.dev/v1
kind: Role
metadata: {name: nginx}
spec:
  colocated: [log-forwarder]
  volumeMounts: [{name: common-share, mountPath: /mnt/share}]
  volumes: [{name: common-share, emptyDir: {}}]
`
	forwarderDocument = `apiVersion: colocate.dev/v1
kind: ColocatedContainer
metadata: {name: log-forwarder}
spec:
  container:
    name: log-forwarder
    image: example.org/log-forwarder:1.4
    env: [{name: TOKEN, value: canary-env-value}]
    volumeMounts: [{name: common-share, mountPath: /mnt/share}]
    resources: {requests: {memory: 64Mi, cpu: 100m}}
  volumes: [{name: common-share, emptyDir: {}}]
`
	// persistentDocument can be read, but breaks the rule on persistent state.
	persistentDocument = `apiVersion: colocate.dev/v1
kind: ColocatedContainer
metadata: {name: log-forwarder}
spec:
  container:
    name: log-forwarder
    image: example.org/log-forwarder:1.4
    volumeMounts: [{name: data, mountPath: /data}]
    resources: {requests: {memory: 64Mi, cpu: 100m}}
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`
	brokenDocument = "apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: nginx}\nspec:\n\tcolocated: []\n"
)

// role is the document of a main role without anything colocated.
func role(name string) string {
	return fmt.Sprintf("apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: %s}\nspec: {}\n", name)
}

// configMap takes pairs of key and document.
func configMap(name string, pairs ...string) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: definition.Labels()},
		Data:       map[string]string{},
	}
	for i := 0; i < len(pairs); i += 2 {
		cm.Data[pairs[i]] = pairs[i+1]
	}
	return cm
}

// snapshotOf compiles documents given as pairs of key and document.
func snapshotOf(t testing.TB, pairs ...string) *injector.Snapshot {
	t.Helper()
	defs, faults := definition.Load(configMap("test", pairs...))
	if broken(asProblems(faults)) {
		t.Fatalf("documents: %v", faults)
	}
	snapshot, faults := injector.Compile(defs)
	if broken(asProblems(faults)) {
		t.Fatalf("definitions: %v", faults)
	}
	return snapshot
}

func asProblems(faults []injector.Fault) (out []problem) {
	for _, f := range faults {
		out = append(out, problem{Fault: f})
	}
	return out
}

// podJSON is a pod as a ReplicaSet controller sends it.
func podJSON(annotations string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"web-","annotations":{` + annotations + `},` +
		`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"1"}]},` +
		`"spec":{"containers":[{"name":"nginx","image":"example.org/nginx:1","env":[{"name":"PASSWORD","value":"canary-pod-value"}]}]}}`
}

const asksForNginx = `"colocate.dev/role":"nginx","example.org/secret":"canary-annotation"`

// review is an AdmissionReview for a pod.
func review(pod string) string {
	return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"705ab4f5","kind":{"group":"","version":"v1","kind":"Pod"},` +
		`"resource":{"group":"","version":"v1","resource":"pods"},"namespace":"shop","operation":"CREATE","userInfo":{"username":"admin"},` +
		`"object":` + pod + `,"oldObject":null,"dryRun":false,"options":null}}`
}

// largePod has about size bytes.
func largePod(size int) string {
	return strings.Replace(podJSON(asksForNginx), `"value":"canary-pod-value"`, `"value":"`+strings.Repeat("x", size)+`"`, 1)
}

// answered is what a handler answered, decoded.
type answered struct {
	Kind, APIVersion string
	Response         struct {
		UID              string
		Allowed          bool
		Patch            []byte
		PatchType        *string
		Warnings         []string
		AuditAnnotations map[string]string
		Status           *metav1.Status
	}
}

func decodeAnswer(t testing.TB, body []byte) answered {
	t.Helper()
	var a answered
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("answer %q: %v", body, err)
	}
	return a
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
