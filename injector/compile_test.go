package injector

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// at gives a definition a place, as the reader of a ConfigMap does.
func at(d Definition, line int) Definition {
	d.Origin = Origin{Source: "ConfigMap colocate-system/x", Key: d.Name + ".yaml", Line: line, Column: 3}
	return d
}

// TestFaults: all faults at once, each with its place, in the order of the
// definitions; those of a colocated container once, not for every role.
func TestFaults(t *testing.T) {
	s, faults := Compile([]Definition{
		at(definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"Web_1"},"spec":{"volumeMounts":[{"name":"v","mountPath":"v"}],"volumes":[{"name":"v","hostPath":{}},{"name":"v"}]}}`), 2),
		at(definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"a"},"spec":{"container":{"name":"b"}}}`), 4),
		at(definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"one"},"spec":{"colocated":["a"]}}`), 1),
		at(definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"two"},"spec":{"colocated":["a"]}}`), 1),
		at(definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"two"},"spec":{"container":{"name":"two","image":"i"}}}`), 9),
		at(definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"fine"},"spec":{}}`), 1),
		at(definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"lost"},"spec":{"volumeMounts":[{"name":"v","mountPath":"/v"}]}}`), 1),
	})
	var got []string
	for _, f := range faults {
		got = append(got, string(f.Reason)+" "+f.Error())
	}
	want := []string{
		`InvalidDefinition ConfigMap colocate-system/x[Web_1.yaml]:2:3: role "Web_1": the name cannot be that of a container: a lowercase RFC 1123 label`,
		`PersistentState ConfigMap colocate-system/x[Web_1.yaml]:2:3: role "Web_1" has volume "v", which is a hostPath`,
		`InvalidDefinition ConfigMap colocate-system/x[Web_1.yaml]:2:3: role "Web_1": spec.volumeMounts[0].mountPath: Invalid value: "v": must be an absolute path without a colon.`,
		`InvalidDefinition ConfigMap colocate-system/x[Web_1.yaml]:2:3: role "Web_1": spec.volumes[1].name: Duplicate value: "v".`,
		`InvalidDefinition ConfigMap colocate-system/x[a.yaml]:4:3: colocated container "a": spec.container.image: Required value: give the container an image.`,
		`InvalidDefinition ConfigMap colocate-system/x[a.yaml]:4:3: colocated container "a": spec.container.name: Invalid value: "b": must be the definition's name.`,
		`DuplicateDefinition ConfigMap colocate-system/x[two.yaml]:9:3: definition "two" stands in ConfigMap colocate-system/x[two.yaml]:1:3 already; the first is used. Remove one of the two.`,
		`UndeclaredVolume ConfigMap colocate-system/x[lost.yaml]:1:3: role "lost" mounts "v" at "/v", but neither the role nor its colocated containers define that volume. Add the volume to the definition.`,
	}
	if len(got) != len(want) {
		t.Fatalf("got %d faults, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("fault %d:\ngot  %s\nwant %s", i, got[i], want[i])
		}
	}
	roles, valid := s.Size()
	if roles != 5 || valid != 1 {
		t.Errorf("%d roles, %d of them valid", roles, valid)
	}
}

// TestVolumesOfOneNameAreOne: a role and its colocated containers must mean the
// same volume by one name.
func TestVolumesOfOneNameAreOne(t *testing.T) {
	for _, c := range []struct{ role, helper, says string }{
		{`"emptyDir":{}`, `"emptyDir":{}`, ""},
		{`"emptyDir":{"sizeLimit":"1Gi"}`, `"emptyDir":{"sizeLimit":"1024Mi"}`, ""},
		{`"emptyDir":{}`, `"emptyDir":{"medium":"Memory"}`, `role "nginx": volume "v" of the role itself is {"emptyDir":{},"name":"v"}, but that of colocated container "a" is {"emptyDir":{"medium":"Memory"},"name":"v"}. Make both the same, or rename one of the two.`},
		{`"configMap":{"name":"c"}`, `"secret":{"secretName":"c"}`, `role "nginx": volume "v" of the role itself is {"configMap":{"name":"c"},"name":"v"}, but that of colocated container "a" is {"name":"v","secret":{"secretName":"c"}}. Make both the same, or rename one of the two.`},
	} {
		_, faults := Compile([]Definition{
			definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":["a"],"volumes":[{"name":"v",`+c.role+`}]}}`),
			definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"a"},"spec":{"container":{"name":"a","image":"i"},"volumes":[{"name":"v",`+c.helper+`}]}}`),
		})
		got := ""
		if len(faults) > 0 {
			got = faults[0].Message
		}
		if got != c.says {
			t.Errorf("%s and %s: %q, want %q", c.role, c.helper, got, c.says)
		}
	}
}

func TestSnapshotDescribesItsRoles(t *testing.T) {
	s, _ := Compile([]Definition{definitionFromJSON(t, nginxRole), definitionFromJSON(t, logForwarder), {Name: "broken", Unreadable: "no."}})
	hash, ok := s.Hash("nginx")
	want := []RoleInfo{
		{Name: "broken", Rejected: ReasonUnreadableDefinition, Message: `definition "broken" cannot be read: no.`},
		{Name: "nginx", Hash: hash, Colocated: []string{"log-forwarder"}},
	}
	if diff := cmp.Diff(want, s.Roles()); diff != "" || !ok || !strings.HasPrefix(hash, "sha256:") || len(hash) != 71 {
		t.Errorf("%q %s", hash, diff)
	}
	if one, ok := s.Role("nginx"); !ok || !cmp.Equal(one, want[1]) {
		t.Errorf("%+v", one)
	}
	for _, name := range []string{"broken", "log-forwarder", "none"} {
		if _, ok := s.Hash(name); ok {
			t.Errorf("%q has a hash", name)
		}
	}
	var none *Snapshot
	_, known := none.Role("nginx")
	_, hashed := none.Hash("nginx")
	if roles, valid := none.Size(); known || hashed || none.Roles() != nil || roles+valid > 0 {
		t.Error("a nil snapshot has roles")
	}
}

// TestHash: it depends on the documents only, and on the order of the list.
func TestHash(t *testing.T) {
	of := func(texts ...string) string {
		h, ok := snapshotOf(t, texts...).Hash("nginx")
		if !ok {
			t.Fatal("no hash")
		}
		return h
	}
	base := of(nginxRole, logForwarder)
	other := strings.Replace(logForwarder, "1.4", "1.5", 1)
	unused := `{"kind":"ColocatedContainer","metadata":{"name":"unused"},"spec":{"container":{"name":"unused","image":"i"}}}`
	switch {
	case of(logForwarder, nginxRole) != base, of(unused, nginxRole, logForwarder) != base:
		t.Error("the hash depends on what the role does not use")
	case of(nginxRole, other) == base:
		t.Error("the hash does not depend on the colocated container")
	}
}

func TestCompileOfNothing(t *testing.T) {
	s, faults := Compile(nil)
	if s == nil || len(faults) > 0 {
		t.Fatal(s, faults)
	}
	if roles, valid := s.Size(); roles+valid > 0 || len(s.Roles()) > 0 {
		t.Error("an empty snapshot has roles")
	}
}

// What was not checked by the reader of definitions is found here.
func TestDefinitionsThatDiffer(t *testing.T) {
	for _, spoil := range []func(*Definition){
		func(d *Definition) { d.JSON = []byte(`{`) },
		func(d *Definition) { d.JSON = []byte(`{"spec":{}}`) },
		func(d *Definition) { d.JSON = nil },
	} {
		role, helper := definitionFromJSON(t, nginxRole), definitionFromJSON(t, logForwarder)
		spoil(&role)
		if _, faults := Compile([]Definition{role, helper}); len(faults) != 1 || faults[0].Reason != ReasonInvalidDefinition {
			t.Errorf("role: %v", faults)
		}
		role = definitionFromJSON(t, nginxRole)
		spoil(&helper)
		if _, faults := Compile([]Definition{role, helper}); len(faults) != 1 || faults[0].Reason != ReasonInvalidDefinition {
			t.Errorf("colocated container: %v", faults)
		}
	}
}
