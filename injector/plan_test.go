package injector

import (
	"encoding/json"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// definitionFromJSON is the least that a test needs: strictness is the business
// of the definition package.
func definitionFromJSON(t testing.TB, text string) Definition {
	t.Helper()
	var doc struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	var generic any
	if err := json.Unmarshal([]byte(text), &generic); err != nil {
		t.Fatal(err)
	}
	canonical, err := json.Marshal(generic)
	if err != nil {
		t.Fatal(err)
	}
	d := Definition{Name: doc.Metadata.Name, JSON: canonical, Origin: Origin{Source: "test"}}
	var into any
	if doc.Kind == KindRole {
		d.Role = &Role{}
		into = d.Role
	} else {
		d.Colocated = &ColocatedContainer{}
		into = d.Colocated
	}
	if err := json.Unmarshal(doc.Spec, into); err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	nginxRole = `{"apiVersion":"colocate.dev/v1","kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":["log-forwarder"],
		"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}],"volumes":[{"name":"common-share","emptyDir":{}}]}}`
	logForwarder = `{"apiVersion":"colocate.dev/v1","kind":"ColocatedContainer","metadata":{"name":"log-forwarder"},"spec":{
		"container":{"name":"log-forwarder","image":"example.org/log-forwarder:1.4","volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}],
		"resources":{"requests":{"cpu":0.1,"memory":"64Mi"}}},"volumes":[{"name":"common-share","emptyDir":{}}]}}`
)

func snapshotOf(t testing.TB, texts ...string) *Snapshot {
	t.Helper()
	var defs []Definition
	for _, text := range texts {
		defs = append(defs, definitionFromJSON(t, text))
	}
	s, faults := Compile(defs)
	if len(faults) > 0 {
		t.Fatalf("compile: %v", faults)
	}
	return s
}

// apply plans for the pod, applies the patch with the API server's library, and
// makes sure that a second call adds nothing.
func apply(t testing.TB, s *Snapshot, pod string) (Decision, string) {
	t.Helper()
	var p Pod
	if err := ReadPod([]byte(pod), &p); err != nil {
		t.Fatal(err)
	}
	d := s.Plan(&p, Creation())
	if d.Outcome != Injected {
		return d, pod
	}
	patch, err := jsonpatch.DecodePatch(d.AppendPatch(nil))
	if err != nil {
		t.Fatalf("patch %s: %v", d.AppendPatch(nil), err)
	}
	out, err := patch.Apply([]byte(pod))
	if err != nil {
		t.Fatalf("patch %s: %v", d.AppendPatch(nil), err)
	}
	var again Pod
	if err := ReadPod(out, &again); err != nil {
		t.Fatal(err)
	}
	if second := s.Plan(&again, Creation()); second.Outcome != Injected || second.Patches() {
		t.Fatalf("second call: %v %v %s %s", second.Outcome, second.Reason, second.Message, second.AppendPatch(nil))
	}
	return d, string(out)
}

func TestPlanAddsTheColocatedContainer(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	d, out := apply(t, s, `{"metadata":{"generateName":"x-","annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"example.org/nginx:1"}]}}`)
	if d.Reason != ReasonInjected {
		t.Fatalf("%v %v", d.Reason, d.Message)
	}
	t.Log(out)
	var pod struct {
		Spec struct {
			Containers []struct {
				Name         string
				VolumeMounts []map[string]string
			}
			Volumes []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(out), &pod); err != nil {
		t.Fatal(err)
	}
	if len(pod.Spec.Containers) != 2 || pod.Spec.Containers[1].Name != "log-forwarder" || len(pod.Spec.Volumes) != 1 {
		t.Fatalf("%s", out)
	}
	for _, c := range pod.Spec.Containers {
		if len(c.VolumeMounts) != 1 || c.VolumeMounts[0]["mountPath"] != "/mnt/share" {
			t.Fatalf("container %q has mounts %v", c.Name, c.VolumeMounts)
		}
	}
}

func TestPlanRefusesAClaim(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	d, _ := apply(t, s, `{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"i"}],"volumes":[{"name":"common-share","persistentVolumeClaim":{"claimName":"x"}}]}}`)
	want := `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a PersistentVolumeClaim of this pod; colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own.`
	if d.Outcome != Refused || d.Reason != ReasonPersistentState || d.Message != want {
		t.Fatalf("%v %v %s", d.Outcome, d.Reason, d.Message)
	}
}

func TestPlanCostsNoMemory(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	body := []byte(`{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"i"}]}}`)
	var p Pod
	got := testing.AllocsPerRun(100, func() {
		if err := ReadPod(body, &p); err != nil {
			t.Fatal(err)
		}
		if d := s.Plan(&p, Creation()); !d.Patches() {
			t.Fatal(d.Message)
		}
	})
	if got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
