// Package plan holds what the API server makes of our patches against what the
// plan says.
package plan

import (
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/podgen"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/manifests"
)

var (
	seed   = flag.Uint64("seed", 1, "of the generated pods and definitions")
	wanted = flag.Int("pods", 600, "generated pods that the API server accepts without us")
)

const (
	injectedIn = "injected"
	leftOut    = "left-out"
	sets       = 3 // of definitions
)

// TestGeneratedPods creates pods of all shapes with and without the webhook. Each
// pod that the API server takes without us is either accepted with us, and then it
// is what the plan's patch makes of it, or refused by us with the plan's message.
func TestGeneratedPods(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{})
	for name, labels := range map[string]map[string]string{injectedIn: nil, leftOut: {injector.InjectionLabel: injector.InjectionDisabled}} {
		if err := i.Server.CreateNamespace(t.Context(), name, labels); err != nil {
			t.Fatal(err)
		}
	}
	counts := map[string]int{}
	for set := range sets {
		r := podgen.New(*seed + uint64(set))
		snapshot, roles := define(t, i, podgen.Definitions(r))
		for counts["accepted without us"] < *wanted*(set+1)/sets {
			judge(t, i, snapshot, podgen.Pod(r, roles), counts)
		}
	}
	t.Logf("seed %d: %v", *seed, counts)
	for _, kind := range []string{"injected", "refused"} {
		if counts[kind] < *wanted/20 {
			t.Errorf("only %d of the pods were %s: the generator is lopsided", counts[kind], kind)
		}
	}
}

// define stores the definitions and waits until the webhook has them.
func define(t *testing.T, i *product.Installation, documents []podgen.Document) (*injector.Snapshot, []string) {
	t.Helper()
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: injector.DefinitionsName, Namespace: manifests.Namespace,
			Labels: map[string]string{injector.DefinitionsLabel: injector.DefinitionsVersion},
		},
		Data: map[string]string{},
	}
	var roles []string
	for _, d := range documents {
		cm.Data[d.Name+definition.Extension] = string(d.JSON)
		if d.Main {
			roles = append(roles, d.Name)
		}
	}
	defs, faults := definition.Load(cm)
	snapshot, more := injector.Compile(defs)
	if len(faults)+len(more) > 0 {
		t.Fatalf("generated definitions: %v %v", faults, more)
	}
	maps := i.Client.CoreV1().ConfigMaps(cm.Namespace)
	_, err := maps.Update(t.Context(), cm, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = maps.Create(t.Context(), cm, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	awaitHash(t, i, snapshot)
	return snapshot, roles
}

// awaitHash waits until a pod of the role "bare" comes back with the hash that it
// has in the snapshot, and the first role, too.
func awaitHash(t *testing.T, i *product.Installation, snapshot *injector.Snapshot) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for _, info := range snapshot.Roles() {
		for {
			pod := fmt.Sprintf(`{"metadata":{"name":"wait","annotations":{"colocate.dev/role":%q}},"spec":{"containers":[{"name":"z","image":"i"}]}}`, info.Name)
			created, err := create(t, i, injectedIn, []byte(pod))
			if err == nil && strings.Contains(string(created), info.Hash) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("role %q was not loaded: %v %s", info.Name, err, created)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// create sends a pod as dry run and returns the JSON that would be stored.
func create(t *testing.T, i *product.Installation, namespace string, pod []byte) ([]byte, error) {
	t.Helper()
	result := i.Client.CoreV1().RESTClient().Post().
		Namespace(namespace).Resource("pods").Param("dryRun", "All").
		SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").
		Body(pod).Do(t.Context())
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

func judge(t *testing.T, i *product.Installation, snapshot *injector.Snapshot, pod []byte, counts map[string]int) {
	t.Helper()
	alone, err := create(t, i, leftOut, pod)
	if err != nil {
		counts["refused without us"]++
		return
	}
	counts["accepted without us"]++
	// The pod's own resources are defaulted after admission only.
	before := withResourcesOf(t, alone, pod)
	var p injector.Pod
	if err := injector.ReadPod(before, &p); err != nil {
		t.Fatalf("%v in %s", err, before)
	}
	d := snapshot.Plan(&p, injector.Creation())
	got, err := create(t, i, injectedIn, pod)
	switch {
	case d.Outcome == injector.Refused:
		counts["refused"]++
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), d.Message) {
			t.Errorf("plan: %s\nserver: %v\npod: %s", d.Message, err, pod)
		}
		return
	case err != nil:
		t.Errorf("the plan lets the pod pass (%s), but it is refused: %v\npod: %s\npatch: %s", d.Reason, err, pod, d.AppendPatch(nil))
		return
	}
	counts[d.Outcome.String()]++
	want := alone
	if d.Patches() {
		patch, err := jsonpatch.DecodePatch(d.AppendPatch(nil))
		if err != nil {
			t.Fatal(err)
		}
		patched, err := patch.Apply(before)
		if err != nil {
			t.Fatalf("%v\npod: %s\npatch: %s", err, before, d.AppendPatch(nil))
		}
		// The API server fills defaults into what was added, as it does for us.
		if want, err = create(t, i, leftOut, patched); err != nil {
			t.Fatalf("the patched pod: %v\n%s", err, patched)
		}
	}
	if diff := cmp.Diff(comparable(t, want), comparable(t, got)); diff != "" {
		t.Errorf("pod (-plan +server):\n%s\nsent: %s", diff, pod)
	}
}

// withResourcesOf gives a stored pod the spec.resources that it was sent with.
func withResourcesOf(t *testing.T, stored, sent []byte) []byte {
	t.Helper()
	var s struct {
		Spec struct {
			Resources json.RawMessage `json:"resources"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(sent, &s); err != nil {
		t.Fatal(err)
	}
	if s.Spec.Resources == nil {
		return stored
	}
	out, err := jsonpatch.MergePatch(stored, []byte(`{"spec":{"resources":null}}`))
	if err == nil {
		out, err = jsonpatch.MergePatch(out, fmt.Appendf(nil, `{"spec":{"resources":%s}}`, s.Spec.Resources))
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var tokenVolume = regexp.MustCompile(`kube-api-access-[a-z0-9]{5}`)

// comparable is the pod without what differs from one creation to the next.
func comparable(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var pod map[string]any
	if err := json.Unmarshal(tokenVolume.ReplaceAll(text, []byte("kube-api-access-token")), &pod); err != nil {
		t.Fatal(err)
	}
	metadata, ok := pod["metadata"].(map[string]any)
	if !ok {
		t.Fatalf("no metadata in %s", text)
	}
	for _, field := range []string{"namespace", "uid", "creationTimestamp", "managedFields", "resourceVersion"} {
		delete(metadata, field)
	}
	if metadata["generateName"] != nil {
		delete(metadata, "name")
	}
	return pod
}
