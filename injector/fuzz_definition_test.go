package injector_test

import (
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/e2e/podgen"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// FuzzDefinition takes any two documents as they stand in a ConfigMap: a main
// role and a colocated container. Whatever loads must give pods a patch that
// applies and that a second call finds done; whatever does not load must refuse
// the role's pods with a reason.
func FuzzDefinition(f *testing.F) {
	r := podgen.New(4)
	for range 3 {
		docs := podgen.Definitions(r)
		f.Add(docs[len(docs)-2].JSON, docs[0].JSON)
	}
	f.Add([]byte("apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: a}\nspec:\n  colocated: [b]\n  volumeMounts: [{name: s, mountPath: /s}]\n  volumes: [{name: s, emptyDir: {}}]\n"),
		[]byte("apiVersion: colocate.dev/v1\nkind: ColocatedContainer\nmetadata: {name: b}\nspec:\n  container: {name: b, image: i, volumeMounts: [{name: s, mountPath: /s}]}\n  volumes: [{name: s, emptyDir: {}}]\n"))
	f.Fuzz(func(t *testing.T, main, helper []byte) {
		var defs []injector.Definition
		for _, text := range [][]byte{main, helper} {
			if d, faults := definition.Decode("fuzz.yaml", text, injector.Origin{Source: "fuzz"}); d.Name != "" && len(faults) == 0 {
				defs = append(defs, d)
			}
		}
		s, faults := injector.Compile(defs)
		for _, fault := range faults {
			if _, ok := injector.Describe(fault.Reason); !ok || fault.Message == "" {
				t.Errorf("fault %+v has no reason or no message", fault)
			}
		}
		for _, role := range s.Roles() {
			for _, restart := range []string{"Always", "Never"} {
				pod := []byte(`{"metadata":{"annotations":{"colocate.dev/role":"` + role.Name + `"}},"spec":{"restartPolicy":"` + restart + `","containers":[{"name":"own","image":"i"}]}}`)
				checkPlan(t, s, role, pod)
			}
		}
	})
}

func checkPlan(t *testing.T, s *injector.Snapshot, role injector.RoleInfo, pod []byte) {
	t.Helper()
	var p injector.Pod
	if err := injector.ReadPod(pod, &p); err != nil {
		t.Fatalf("%s: %v", pod, err)
	}
	d := s.Plan(&p, injector.Creation())
	if role.Rejected != "" && (d.Outcome != injector.Refused || d.Reason != role.Rejected) {
		t.Fatalf("rejected role %q (%s): pod gets %v %v", role.Name, role.Rejected, d.Outcome, d.Reason)
	}
	if d.Outcome != injector.Injected {
		return
	}
	patch, err := jsonpatch.DecodePatch(d.AppendPatch(nil))
	if err != nil {
		t.Fatalf("patch %s: %v", d.AppendPatch(nil), err)
	}
	after, err := patch.Apply(pod)
	if err != nil {
		t.Fatalf("patch %s: %v", d.AppendPatch(nil), err)
	}
	var q injector.Pod
	if err := injector.ReadPod(after, &q); err != nil {
		t.Fatalf("%s: %v", after, err)
	}
	if second := s.Plan(&q, injector.Creation()); second.Outcome != injector.Injected || second.Patches() {
		t.Fatalf("second call on %s: %v %s %s", after, second.Outcome, second.Message, second.AppendPatch(nil))
	}
}
