package rolemanifest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRandomManifests writes manifests out of the table of keys, with values that
// are mostly of the right type and sometimes not, and holds Read to its promises.
// Fuzzing bytes seldom comes this far.
func TestRandomManifests(t *testing.T) {
	built := 0
	for seed := range uint64(1500) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), wrong: int(seed % 3)}
		data := []byte(g.manifest())
		result := Read("random.yml", data, Options{Images: Images{Template: "example.org/{role}:1"}})
		checkPositions(t, data, result.Diagnostics)
		if failed := result.Diagnostics.Failed(false); failed != (result.Definitions == nil) {
			t.Fatalf("seed %d: %d definitions and %d errors", seed, len(result.Definitions), result.Diagnostics.Count(Error))
		}
		if result.Definitions != nil {
			built++
			loads(t, result.Definitions)
		}
		for _, d := range result.Diagnostics {
			if d.Code == CodeInvalidContainer && strings.HasPrefix(d.Message, "definition ") {
				t.Errorf("seed %d: the rules here have missed what the core finds: %s", seed, d)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, data)
		}
	}
	if built < 250 {
		t.Errorf("only %d of the manifests can be built: the generator has become too wild", built)
	}
}

type generator struct {
	*rand.Rand
	// wrong is how often in a hundred a value is of any type.
	wrong  int
	layout Layouts
	ports  int
}

func (g *generator) manifest() string {
	g.layout = []Layouts{Layout1, Layout2, Layout3}[g.IntN(3)]
	top := "instance_groups"
	if g.layout == Layout1 {
		top = "roles"
	}
	var b strings.Builder
	b.WriteString(top + ":\n")
	for i := range 2 {
		fmt.Fprintf(&b, "- name: main-%d\n", i)
		if g.layout != Layout3 {
			fmt.Fprintf(&b, "  colocated_containers: [side-0, side-1]\n  run: %s\n", g.mapping(InRun, 3))
		} else {
			fmt.Fprintf(&b, "  jobs: [{name: j, properties: {bosh_containerization: {colocated_containers: [side-0, side-1], run: %s, ports: %s}}}]\n", g.mapping(InRun, 3), g.list(InPort))
		}
	}
	for i := range 2 {
		fmt.Fprintf(&b, "- name: side-%d\n  type: colocated-container\n", i)
		if g.layout != Layout3 {
			fmt.Fprintf(&b, "  run: %s\n", g.mapping(InRun, 4))
		} else {
			fmt.Fprintf(&b, "  jobs: [{name: j, properties: {bosh_containerization: {run: %s, ports: %s}}}, {name: k, properties: {bosh_containerization: {run: %s}}}]\n", g.mapping(InRun, 3), g.list(InPort), g.mapping(InRun, 2))
		}
		if g.IntN(3) == 0 {
			fmt.Fprintf(&b, "  container: {args: [x], env: [{name: A, value: b}], ports: [{containerPort: %d}]}\n", 7000+i)
		} else if g.IntN(6) == 0 {
			fmt.Fprintf(&b, "  container: {env: [{name: A, value: b}], volumeMounts: [{name: tag-%d, mountPath: /tag-%d}], ports: [{containerPort: %d}]}\n", g.IntN(3), g.IntN(3), 7000+i)
		}
		if g.IntN(3) == 0 {
			fmt.Fprintf(&b, "  placement: %s\n", g.one(placements))
		}
		if g.IntN(4) == 0 {
			fmt.Fprintf(&b, "  volumes: [{name: conf-%d, configMap: {name: x}}]\n", g.IntN(2))
		}
	}
	return b.String()
}

func (g *generator) one(words []string) string { return words[g.IntN(len(words))] }

// mapping has about n of a place's keys.
func (g *generator) mapping(w Where, n int) string {
	var members []string
	var seen []string
	for i := range keyTable {
		k := &keyTable[i]
		name := k.Name
		if k.Is != "" {
			name = k.Is
		}
		needed := w == InPort || w == InVolume
		if !slices.Contains(k.In, w) || k.Handling == Misplaced || k.layouts()&g.layout == 0 || slices.Contains(seen, name) {
			continue
		}
		if optional := !needed || k.Handling != Honoured; optional && g.IntN(20) > n {
			continue
		}
		if needed && k.Name != "name" && k.Name != "protocol" && k.Name != "internal" && k.Name != "tag" && k.Name != "path" && k.Name != "type" && (g.IntN(12) > 0 || k.Name == "empty-dir" || k.Name == "count") {
			continue
		}
		seen = append(seen, name)
		members = append(members, k.Name+": "+g.value(k))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (g *generator) list(w Where) string {
	items := make([]string, g.IntN(3))
	for i := range items {
		items[i] = g.mapping(w, 4)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (g *generator) value(k *Key) string {
	if g.IntN(100) < g.wrong {
		return g.one([]string{"~", "-1", "text", "[x]", "{a: b}", "1.5", "true", "''", "99999999999"})
	}
	switch {
	case k.Name == "tag" || k.Name == "path":
		return fmt.Sprintf("%stag-%d", map[bool]string{true: "/"}[k.Name == "path"], g.IntN(4))
	case k.Name == "type" && k.In[0] == InVolume:
		return g.one([]string{emptyDir, emptyDir, emptyDir, emptyDir, emptyDir, emptyDir, emptyDir, "persistent"})
	case k.Name == "persistent-volumes":
		return "[]"
	case k.Name == "url":
		return g.one([]string{"'http://container-ip/'", "'https://a:b@container-ip:8443/x?y=z'", "'http://localhost'"})
	case k.Name == "capabilities":
		return g.one([]string{"[NET_ADMIN]", "[sys_time, NET_ADMIN]", "[ALL]", "[]"})
	case k.Name == "shared-volumes":
		return fmt.Sprintf("[{tag: tag-%d, path: /tag-%d, empty-dir: true, read-only: %v}]", g.IntN(4), g.IntN(4), g.IntN(2) == 0)
	case k.Name == "limit":
		return "3"
	case k.Name == "success_threshold":
		return "1"
	case k.Name == "medium":
		return "Memory"
	case k.Name == "name" && k.In[0] == InPort:
		return fmt.Sprintf("p%d", g.IntN(50))
	}
	switch k.Type {
	case String:
		if len(k.Values) > 0 {
			return g.one(k.Values)
		}
		return "word"
	case Integer:
		return fmt.Sprint(1 + g.IntN(3))
	case Number:
		return g.one([]string{"0.25", "1", "2.5", "0.0005"})
	case Bool:
		return g.one([]string{"true", "false"})
	case PortRange:
		g.ports += 3
		return g.one([]string{fmt.Sprint(9000 + g.ports), fmt.Sprintf("%d-%d", 9000+g.ports, 9002+g.ports)})
	case Quantity:
		return g.one([]string{"64Mi", "64", "1Gi"})
	case StringList:
		return g.one([]string{"[one]", "[one, 'two three']", "['two three', four]"})
	case StringMap:
		return "{Accept: text}"
	case Mapping:
		return g.mapping(k.Of, 6)
	case MappingList:
		return g.list(k.Of)
	case Environment:
		return g.one([]string{"[A=b]", "{A: b, C: d}", "[{name: A, value: b}]"})
	}
	return g.one([]string{"x", "[]", "{}", "~"})
}
