package injector

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/e2e/podgen"
)

type object = map[string]any

// generic decodes without losing digits.
func generic(t testing.TB, text []byte) object {
	t.Helper()
	var out object
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func list(o object, key string) []any { l, _ := o[key].([]any); return l }

func named(l []any, name string) object {
	for _, x := range l {
		if o, _ := x.(object); o["name"] == name {
			return o
		}
	}
	return nil
}

// set is a set of definitions with the documents that they come from.
type set struct {
	defs  []Definition
	docs  map[string]object // by name
	roles []string
}

func generated(t testing.TB, r *rand.Rand) set {
	t.Helper()
	out := set{docs: map[string]object{}}
	for _, d := range podgen.Definitions(r) {
		out.defs = append(out.defs, definitionFromJSON(t, string(d.JSON)))
		out.docs[d.Name] = generic(t, d.JSON)
		if d.Main {
			out.roles = append(out.roles, d.Name)
		}
	}
	return out
}

// allowedPaths are all paths that a patch may have; nothing else of a pod is
// ever touched.
var allowedPaths = []*regexp.Regexp{
	regexp.MustCompile(`^/spec/(volumes|initContainers|imagePullSecrets)$`),
	regexp.MustCompile(`^/spec/(volumes|imagePullSecrets|containers|initContainers)/-$`),
	regexp.MustCompile(`^/spec/initContainers/(0|[1-9][0-9]*)$`),
	regexp.MustCompile(`^/spec/containers/(0|[1-9][0-9]*)/volumeMounts(/-)?$`),
	regexp.MustCompile(`^/metadata/labels$`),
	regexp.MustCompile(`^/metadata/labels/colocate\.dev~1injected$`),
	regexp.MustCompile(`^/metadata/annotations/(colocate\.dev~1status|kubectl\.kubernetes\.io~1default-container)$`),
}

// checkOperations holds every operation against RFC 6902 and the list.
func checkOperations(t testing.TB, patch []byte) {
	t.Helper()
	var ops []object
	if err := json.Unmarshal(patch, &ops); err != nil {
		t.Fatalf("%s: %v", patch, err)
	}
	for _, op := range ops {
		path, _ := op["path"].(string)
		_, hasValue := op["value"]
		if op["op"] != "add" || !hasValue || len(op) != 3 {
			t.Errorf("operation %v is not an add with a path and a value", op)
		}
		if !slices.ContainsFunc(allowedPaths, func(p *regexp.Regexp) bool { return p.MatchString(path) }) {
			t.Errorf("path %q is not on the list", path)
		}
	}
}

// checkText holds what people read to the API server's limits and our style.
func checkText(t testing.TB, d *Decision) {
	t.Helper()
	if _, ok := Describe(d.Reason); !ok {
		t.Errorf("reason %q is not in the table", d.Reason)
	}
	if d.Outcome == Refused && !strings.HasSuffix(d.Message, ".") {
		t.Errorf("message %q does not end as a sentence", d.Message)
	}
	for _, text := range append([]string{d.Message}, d.Warnings...) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%q holds a control character", text)
		}
	}
	for _, w := range d.Warnings {
		if len(w) > 256 {
			t.Errorf("warning of %d bytes: %q", len(w), w)
		}
	}
}

// judged plans for the pod and applies the patch with the API server's library.
func judged(t testing.TB, s *Snapshot, pod []byte) (Decision, []byte) {
	t.Helper()
	var p Pod
	if err := ReadPod(pod, &p); err != nil {
		t.Fatalf("%s: %v", pod, err)
	}
	d := s.Plan(&p, Creation())
	checkText(t, &d)
	patch := d.AppendPatch(nil)
	if again := s.Plan(&p, Creation()); !bytes.Equal(again.AppendPatch(nil), patch) || again.Message != d.Message {
		t.Errorf("%s: the same input gave %s, then %s", pod, patch, again.AppendPatch(nil))
	}
	d.patch = bytes.Clone(d.patch)
	if d.Outcome != Injected {
		if len(d.patch) > 0 {
			t.Errorf("%s: %v with a patch", pod, d.Outcome)
		}
		return d, pod
	}
	checkOperations(t, patch)
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		t.Fatalf("%s: %v", patch, err)
	}
	out, err := decoded.Apply(pod)
	if err != nil {
		t.Fatalf("pod %s\npatch %s: %v", pod, patch, err)
	}
	return d, out
}

// withoutAdditions takes out of an injected pod what the documents say that the
// role adds, holding each against the documents, and returns the rest.
func (s set) withoutAdditions(t testing.TB, role string, before, after object) object {
	t.Helper()
	spec, was := after["spec"].(object), before["spec"].(object)
	definition := s.docs[role]["spec"].(object)
	volumes, secrets := slices.Clone(list(definition, "volumes")), []any{}
	for _, name := range list(definition, "colocated") {
		d := s.docs[name.(string)]["spec"].(object)
		volumes, secrets = append(volumes, list(d, "volumes")...), append(secrets, list(d, "imagePullSecrets")...)
		for _, where := range []string{"containers", "initContainers"} {
			if got := named(list(spec, where), name.(string)); got != nil && named(list(was, where), name.(string)) == nil {
				want := generic(t, encoded(t, d["container"]))
				if placement := d["placement"]; where == "initContainers" && placement != "init" {
					want["restartPolicy"] = "Always"
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("container %q (-definition +pod):\n%s", name, diff)
				}
				remove(spec, was, where, got)
			}
		}
	}
	for key, added := range map[string][]any{"volumes": volumes, "imagePullSecrets": secrets} {
		for _, v := range added {
			name := v.(object)["name"].(string)
			if got := named(list(spec, key), name); got != nil && named(list(was, key), name) == nil {
				if diff := cmp.Diff(generic(t, encoded(t, v)), got); diff != "" {
					t.Errorf("%s %q (-definition +pod):\n%s", key, name, diff)
				}
				remove(spec, was, key, got)
			}
		}
	}
	for i, c := range list(spec, "containers") {
		c, was := c.(object), list(was, "containers")[i].(object)
		for _, m := range list(definition, "volumeMounts") {
			if l := list(c, "volumeMounts"); len(l) > len(list(was, "volumeMounts")) && slices.ContainsFunc(l, func(x any) bool { return cmp.Equal(x, m) }) {
				remove(c, was, "volumeMounts", m)
			}
		}
	}
	meta, wasMeta := after["metadata"].(object), before["metadata"].(object)
	restore(meta, wasMeta, "annotations", StatusAnnotation)
	restore(meta, wasMeta, "annotations", DefaultContainerAnnotation)
	restore(meta, wasMeta, "labels", InjectedLabel)
	return after
}

// remove takes one element off a list; a list that was not there goes, too.
func remove(o, was object, key string, element any) {
	l := slices.DeleteFunc(slices.Clone(list(o, key)), func(x any) bool { return cmp.Equal(x, element) })
	o[key] = l
	if old, ok := was[key]; len(l) == 0 && !ok {
		delete(o, key)
	} else if len(l) == 0 && old == nil {
		o[key] = nil
	}
}

// restore gives one key of a map its old value.
func restore(o, was object, key, name string) {
	m, _ := o[key].(object)
	old, _ := was[key].(object)
	if v, ok := old[name]; ok {
		m[name] = v
	} else {
		delete(m, name)
	}
	if v, ok := was[key]; !ok && len(m) == 0 {
		delete(o, key)
	} else if ok && v == nil && len(m) == 0 {
		o[key] = nil
	}
}

// salt puts fields that no Kubernetes knows into a document, at every level, with
// numbers that do not survive a float.
func salt(r *rand.Rand, v any, key string) {
	switch v := v.(type) {
	case object:
		for k, x := range v {
			if k != "annotations" && k != "labels" && k != "nodeSelector" && key != "volumes" {
				salt(r, x, k)
			}
		}
		if r.IntN(4) == 0 && key != "volumes" {
			v["futureField"] = object{"n": json.Number("9007199254740993"), "big": json.Number("123456789012345678901234567890.10"), "null": nil, "list": []any{nil, object{}}}
		}
	case []any:
		for _, x := range v {
			salt(r, x, key)
		}
	}
}

// TestOnlyAdditions: for generated definitions and pods, what is injected is the
// pod plus exactly what the definitions say, and a second call adds nothing,
// whatever others did to the pod between the two.
func TestOnlyAdditions(t *testing.T) {
	r := podgen.New(7)
	outcomes := map[Reason]int{}
	for range 80 {
		s := generated(t, r)
		snapshot, faults := Compile(s.defs)
		for _, f := range faults {
			t.Fatalf("%v", f)
		}
		for range 25 {
			pod := podgen.Pod(r, s.roles)
			if r.IntN(2) == 0 {
				doc := generic(t, pod)
				salt(r, doc, "")
				pod = encoded(t, doc)
			}
			d, after := judged(t, snapshot, pod)
			outcomes[d.Reason]++
			if d.Outcome != Injected {
				continue
			}
			before := generic(t, pod)
			rest := s.withoutAdditions(t, d.Role, before, generic(t, after))
			if diff := cmp.Diff(generic(t, pod), rest); diff != "" {
				t.Fatalf("pod %s\nresult %s\nmore than additions (-before +after):\n%s", pod, after, diff)
			}
			for _, others := range []func(object){func(object) {}, defaults, limitRanger, pullAlways, rewriteImages, mountTokens, everyone} {
				doc := generic(t, after)
				others(doc)
				second, _ := judged(t, snapshot, encoded(t, doc))
				if second.Outcome != Injected || second.Patches() {
					t.Fatalf("pod %s\nsecond call on %s\n%v %v %s %s", pod, encoded(t, doc), second.Outcome, second.Reason, second.Message, second.AppendPatch(nil))
				}
			}
		}
	}
	t.Log(outcomes)
	for _, reason := range []Reason{ReasonInjected, ReasonPersistentState, ReasonVolumeClash, ReasonContainerClash, ReasonMountClash, ReasonPortClash, ReasonUnknownRole, ReasonUnsuitablePod, ReasonNoRoom} {
		if outcomes[reason] == 0 {
			t.Errorf("the generator never made a pod for %s", reason)
		}
	}
}
