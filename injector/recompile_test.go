package injector

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// editions are documents for one name: sound ones, some with a warning, broken
// ones, and ones of another kind.
func editions(name, other string) []string {
	return []string{
		fmt.Sprintf(`{"kind":"Role","metadata":{"name":%q},"spec":{"colocated":[%q]}}`, name, other),
		fmt.Sprintf(`{"kind":"Role","metadata":{"name":%q},"spec":{"colocated":[%q,%q]}}`, name, other, name),
		fmt.Sprintf(`{"kind":"Role","metadata":{"name":%q},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"volumeMounts":[{"name":"v","mountPath":"/v"}]}}`, name),
		fmt.Sprintf(`{"kind":"Role","metadata":{"name":%q},"spec":{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}}`, name),
		fmt.Sprintf(`{"kind":"ColocatedContainer","metadata":{"name":%q},"spec":{"container":{"name":%q,"image":"example.org/a:1","volumeMounts":[{"name":"v","mountPath":"/v"}]},"volumes":[{"name":"v","emptyDir":{}}]}}`, name, name),
		fmt.Sprintf(`{"kind":"ColocatedContainer","metadata":{"name":%q},"spec":{"container":{"name":%q,"image":"example.org/a:1"},"volumes":[{"name":"v","emptyDir":{"medium":"Memory"}}]}}`, name, name),
		fmt.Sprintf(`{"kind":"ColocatedContainer","metadata":{"name":%q},"spec":{"container":{"name":%q}}}`, name, name),
		fmt.Sprintf(`{"kind":"ColocatedContainer","metadata":{"name":%q},"spec":{"container":{"name":"another","image":"example.org/a:1"}}}`, name),
	}
}

// What is taken over from the snapshot before must be what would be made anew,
// whatever has changed, and its faults must not get lost.
func TestRecompileIsCompile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	names := []string{"a", "b", "c", "d", "e", "f"}
	edition := func() Definition {
		name := names[r.IntN(len(names))]
		if r.IntN(20) == 0 {
			return Definition{Name: name, Unreadable: "a tab"}
		}
		all := editions(name, names[r.IntN(len(names))])
		return definitionFromJSON(t, all[r.IntN(len(all))])
	}
	var before *Snapshot
	var defs []Definition
	reused := 0
	for range 3000 {
		switch n := len(defs); {
		case n < 3 || n < 12 && r.IntN(2) == 0:
			defs = slices.Insert(slices.Clone(defs), r.IntN(n+1), edition())
		case r.IntN(3) == 0:
			i := r.IntN(n)
			defs = slices.Delete(slices.Clone(defs), i, i+1)
		default:
			defs = slices.Clone(defs)
			defs[r.IntN(n)] = edition()
		}
		want, wantFaults := Compile(defs)
		got, faults := before.Recompile(defs)
		if diff := cmp.Diff(wantFaults, faults); diff != "" {
			t.Fatalf("faults of Compile (-) and Recompile (+):\n%s", diff)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("Recompile made another snapshot of %v", defs)
		}
		for name, role := range got.roles {
			if before != nil && before.roles[name] == role {
				reused++
			}
		}
		before = got
	}
	if reused < 1000 {
		t.Errorf("only %d roles were taken over", reused)
	}
}
