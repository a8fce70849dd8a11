package workload_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/workload"
)

// author writes pods in a style of its own.
type author struct {
	*rand.Rand
	step, list int
	flow       float64
	comments   float64
	b          strings.Builder
}

func (a *author) chance(p float64) bool { return a.Float64() < p }

func (a *author) pick(of ...string) string { return of[a.IntN(len(of))] }

func (a *author) line(indent int, format string, args ...any) {
	if a.chance(a.comments) {
		fmt.Fprintf(&a.b, "%s# remark: [x]\n", spaces(indent))
	}
	if a.chance(a.comments / 2) {
		a.b.WriteString("\n")
	}
	text := fmt.Sprintf(format, args...)
	if strings.HasSuffix(text, ":") && a.chance(a.comments) {
		text += "  # what follows"
	}
	a.b.WriteString(spaces(indent) + text + "\n")
}

func spaces(n int) string { return strings.Repeat(" ", n) }

func (a *author) quoted(s string) string { return a.pick(s, `"`+s+`"`, "'"+s+"'") }

// template writes metadata and spec of a pod at a column.
func (a *author) template(at int, role string) {
	a.line(at, "metadata:")
	in := at + a.step
	switch a.IntN(4) {
	case 0:
		a.line(in, "labels: {app: %s}", a.quoted("web"))
	case 1:
		a.line(in, "labels:%s", a.pick("", " ~", " {}", " null"))
	case 2:
		a.line(in, "labels:")
		a.line(in+a.step, "app: web")
	}
	if a.chance(a.flow) {
		a.line(in, "annotations: {%s: %s}", a.quoted(injector.RoleAnnotation), a.quoted(role))
	} else {
		a.line(in, "annotations:")
		a.line(in+a.step, "%s: %s", a.quoted(injector.RoleAnnotation), a.quoted(role))
	}
	a.line(at, "spec:")
	a.optional(in, "volumes", `name: tmp`, `emptyDir: {}`)
	a.optional(in, "initContainers", `name: wait`, `image: "example.org/wait:1"`)
	if a.chance(0.3) {
		a.line(in, "restartPolicy: %s", a.pick("Never", "OnFailure", "Always"))
	}
	a.containers(in)
	a.optional(in, "imagePullSecrets", "name: mine")
	if a.chance(0.3) {
		a.line(in, "hostNetwork: false # last")
	}
}

// optional writes a list of one item, an empty or null one, or none.
func (a *author) optional(at int, key string, fields ...string) {
	switch a.IntN(4) {
	case 0:
		a.line(at, "%s:%s", key, a.pick("", " []", " ~", " null", "   # none"))
	case 1:
		a.line(at, "%s: [{%s}]", key, strings.Join(fields, ", "))
	case 2:
		a.line(at, "%s:", key)
		a.item(at+a.list, fields)
	}
}

func (a *author) item(at int, fields []string) {
	if a.chance(a.flow) {
		a.line(at, "- {%s}", strings.Join(fields, ", "))
		return
	}
	for i, f := range fields {
		if i == 0 {
			a.line(at, "- %s", f)
		} else {
			a.line(at+2, "%s", f)
		}
	}
}

func (a *author) containers(at int) {
	a.line(at, "containers:")
	for i := range 1 + a.IntN(3) {
		fields := []string{fmt.Sprintf("name: c%d", i), `image: "example.org/c:1"`, "big: 9007199254740993"}
		a.item(at+a.list, fields)
		if strings.HasSuffix(a.b.String(), "}\n") {
			continue
		}
		in := at + a.list + 2
		switch a.IntN(5) {
		case 0:
			a.line(in, "volumeMounts:%s", a.pick("", " []", " ~"))
		case 1:
			a.optional(in, "volumeMounts", "name: tmp", "mountPath: /tmp")
		case 2:
			a.b.WriteString(spaces(in) + a.pick("script: |\n", "script: |-\n", "script: |+\n", "script: >\n"))
			a.b.WriteString(spaces(in+2) + "# no comment\n\n" + spaces(in+2) + "---\n")
			if a.chance(0.5) {
				a.b.WriteString("\n\n")
			}
		case 3:
			a.line(in, "text: %s", a.pick("plain\n"+spaces(in+3)+"folded # remark", `"two`+"\n"+spaces(in+1)+`lines"`, "'it''s'"))
		}
	}
}

// document writes one object.
func (a *author) document() string {
	a.b.Reset()
	role := a.pick("nginx", "full")
	switch a.IntN(4) {
	case 0:
		a.line(0, "apiVersion: v1\nkind: Pod")
		a.template(0, role)
	case 1:
		a.line(0, "apiVersion: apps/v1\nkind: %s", a.pick("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"))
		a.line(0, "spec:")
		a.line(a.step, "template:")
		a.template(2*a.step, role)
	case 2:
		a.line(0, "kind: CronJob\napiVersion: batch/v1\nspec:")
		a.line(a.step, "jobTemplate:")
		a.line(2*a.step, "spec:")
		a.line(3*a.step, "template:")
		a.template(4*a.step, role)
		a.line(a.step, `schedule: "@daily"`)
	case 3:
		a.line(0, "apiVersion: v1\nkind: List\nitems:")
		a.line(a.list, "- kind: Pod")
		a.line(a.list+2, "apiVersion: v1")
		a.template(a.list+2, role)
	}
	return a.b.String()
}

// TestGenerated compares, for pods in many styles, what the text means after
// injection with what the API server's library makes of the patch; and makes
// sure that nothing went away but nulls, empty collections and, at the end of a
// text without a final newline, the indicator that keeps newlines.
func TestGenerated(t *testing.T) {
	plan := planner(t)
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := &author{Rand: r, step: 2 + 2*r.IntN(2), list: 2 * r.IntN(2), flow: r.Float64() / 2, comments: r.Float64() / 3}
		in := a.document()
		switch r.IntN(4) {
		case 0:
			in = strings.ReplaceAll(in, "\n", "\r\n")
		case 1:
			in = strings.TrimSuffix(in, "\n")
		}
		out, report := inject(t, in, "in", workload.YAML)
		if !strings.Contains(report, string(injector.ReasonInjected)) {
			t.Fatalf("seed %d: %s\n%s", seed, report, in)
		}
		want := patched(t, plan, pods(t, in)[0])
		if got := decoded(t, pods(t, out)[0].JSON); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: the edited text means something else\n%s\n---\n%s", seed, in, out)
		}
		if lost := missing(emptyValues().Replace(in), out); lost != "" {
			t.Fatalf("seed %d: lost %q\n%s\n---\n%s", seed, lost, in, out)
		}
		if strings.Contains(in, "\r\n") && strings.Count(out, "\n") != strings.Count(out, "\r\n") {
			t.Fatalf("seed %d: mixed line ends\n%q", seed, out)
		}
		again, _ := inject(t, out, "in", workload.YAML)
		if again != out {
			t.Fatalf("seed %d: a second injection changes the text\n%s\n---\n%s", seed, out, again)
		}
	}
}

func emptyValues() *strings.Replacer {
	return strings.NewReplacer(": []", ":", ": {}", ":", ": null", ":", ": ~", ":", "|+", "|")
}

// missing is the rest of in that is not in out, in order; "" where all is there.
func missing(in, out string) string {
	for i := 0; len(in) > 0 && i < len(out); i++ {
		if in[0] == out[i] {
			in = in[1:]
		}
	}
	return in
}

func pods(t testing.TB, text string) []workload.Object {
	t.Helper()
	var found []workload.Object
	err := workload.Each(strings.NewReader(text), "in", func(o workload.Object, err error) error {
		found = append(found, o)
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%v: %d objects in\n%s", err, len(found), text)
	}
	return found
}

func patched(t *testing.T, plan workload.Planner, o workload.Object) any {
	t.Helper()
	var pod injector.Pod
	if err := o.Pod(&pod); err != nil {
		t.Fatal(err)
	}
	d := plan(&pod)
	patch, err := jsonpatch.DecodePatch(d.AppendPatch(nil))
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply(o.JSON)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, after)
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
