package webhook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"colocate.dev/colocate/injector"
)

const template = `{"metadata":{"annotations":{"colocate.dev/role":"%s"}},"spec":{"containers":[{"name":"nginx","image":"example.org/nginx:1"}]}}`

func workloadJSON(annotations, spec string) string {
	return `{"metadata":{"name":"web","annotations":{` + annotations + `}},"spec":{` + spec + `}}`
}

func TestWorkloadsHook(t *testing.T) {
	snapshot := snapshotOf(t, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument)
	asks := func(role string) string { return `"template":` + fmt.Sprintf(template, role) }
	const mine = `"colocate.dev/role":"nginx"`
	cases := map[string]struct {
		kind, object string
		leftOut      bool
		operation    string
		want         []string
	}{
		"injected":      {kind: "Deployment", object: workloadJSON("", asks("nginx"))},
		"asks not":      {kind: "DaemonSet", object: workloadJSON("", `"template":{"metadata":{},"spec":{}}`)},
		"unknown":       {kind: "ReplicaSet", object: workloadJSON("", asks("ngnix")), want: []string{`colocate: pods of this ReplicaSet will be refused (UnknownRole): role "ngnix" is not defined; did you mean "nginx"? Correct annotation colocate.dev/role, or apply the role's definition.`}},
		"deleted":       {kind: "Deployment", object: workloadJSON("", asks("ngnix")), operation: "DELETE"},
		"no template":   {kind: "Deployment", object: `{"spec":null}`},
		"not an object": {kind: "Deployment", object: `[]`},
		"strange template": {
			kind: "Deployment", object: workloadJSON("", `"template":{"metadata":{"annotations":"none"}}`),
		},
		"switched off": {
			kind:   "Deployment",
			object: workloadJSON("", strings.Replace(asks("nginx"), `"colocate.dev/role"`, `"colocate.dev/inject":"false","colocate.dev/role"`, 1)),
			want:   []string{`colocate: nothing is injected into pods of this Deployment (InjectionDisabled): `},
		},
		"on itself": {
			kind: "Deployment", object: workloadJSON(mine, `"template":{"metadata":{},"spec":{}}`),
			want: []string{"colocate: annotation colocate.dev/role on the Deployment itself has no effect; put it on spec.template.metadata.annotations"},
		},
		"on both": {kind: "Deployment", object: workloadJSON(mine, asks("nginx"))},
		"on itself and without a template": {
			kind: "Job", object: `{"metadata":{"annotations":{` + mine + `}}}`,
			want: []string{"colocate: annotation colocate.dev/role on the Job itself has no effect; put it on spec.template.metadata.annotations"},
		},
		"CronJob": {
			kind: "CronJob", object: workloadJSON("", `"jobTemplate":{"spec":{`+asks("ngnix")+`}}`),
			want: []string{`colocate: pods of this CronJob will be refused (UnknownRole): role "ngnix" is not`},
		},
		"CronJob, on itself": {
			kind: "CronJob", object: workloadJSON(mine, `"jobTemplate":{"spec":{"template":{"spec":{}}}}`),
			want: []string{"colocate: annotation colocate.dev/role on the CronJob itself has no effect; put it on spec.jobTemplate.spec.template.metadata.annotations"},
		},
		"StatefulSet with a claim of another name": {
			kind: "StatefulSet", object: workloadJSON("", `"volumeClaimTemplates":[{"metadata":{"name":"data"}}],`+asks("nginx")),
		},
		"StatefulSet with a claim of the name": {
			kind: "StatefulSet", object: workloadJSON("", `"volumeClaimTemplates":[{"metadata":{"name":"common-share"}}],`+asks("nginx")),
			want: []string{"colocate: pods of this StatefulSet will be refused (PersistentState): "},
		},
		"left out": {
			kind: "Deployment", object: workloadJSON("", asks("nginx")), leftOut: true,
			want: []string{`colocate: nothing is injected in namespace "shop", which is left out: by its label colocate.dev/injection=disabled, or as a namespace of the system`},
		},
		"left out and on itself": {
			kind: "Deployment", object: workloadJSON(mine, `"template":{}`), leftOut: true,
			want: []string{"colocate: annotation colocate.dev/role on the Deployment itself has no effect; put it on spec.template.metadata.annotations"},
		},
		"left out, asks not": {kind: "Deployment", object: workloadJSON("", `"template":{}`), leftOut: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			store := &Store{}
			store.Swap(snapshot)
			operation := c.operation
			if operation == "" {
				operation = "CREATE"
			}
			w := post(newWorkloadsHook(store, silent(), c.leftOut), strings.NewReader(reviewOf(t, c.kind, operation, "shop", c.object)))
			a := decodeAnswer(t, w.Body.Bytes())
			if w.Code != 200 || !a.Response.Allowed || a.Response.UID != "1" {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if len(a.Response.Warnings) != len(c.want) {
				t.Fatalf("warnings:\n%s", cmp.Diff(c.want, a.Response.Warnings))
			}
			for i, got := range a.Response.Warnings {
				if !strings.HasPrefix(got, c.want[i]) || len(got) > maxWarning {
					t.Errorf("warning\n%s\nwant\n%s", got, c.want[i])
				}
			}
		})
	}
}

func TestWorkloadsHookWithoutDefinitions(t *testing.T) {
	w := post(newWorkloadsHook(&Store{}, silent(), false), strings.NewReader(reviewOf(t, "Deployment", "CREATE", "shop", workloadJSON("", `"template":`+fmt.Sprintf(template, "nginx")))))
	if a := decodeAnswer(t, w.Body.Bytes()); !a.Response.Allowed || len(a.Response.Warnings) != 0 {
		t.Errorf("%s", w.Body)
	}
}

// Whatever goes wrong inside, the workload is allowed.
func TestWorkloadsHookAllowsInAPanic(t *testing.T) {
	h := newWorkloadsHook(nil, silent(), false) // no store: a fault of ours
	w := post(h, strings.NewReader(reviewOf(t, "Deployment", "CREATE", "shop", workloadJSON("", `"template":`+fmt.Sprintf(template, "nginx")))))
	if a := decodeAnswer(t, w.Body.Bytes()); w.Code != 200 || !a.Response.Allowed {
		t.Errorf("%s", w.Body)
	}
}

func FuzzWorkload(f *testing.F) {
	for _, kind := range []string{"Deployment", "CronJob", "StatefulSet"} {
		f.Add(kind, workloadJSON(`"colocate.dev/role":"x"`, `"template":`+fmt.Sprintf(template, "nginx")))
		f.Add(kind, workloadJSON("", `"volumeClaimTemplates":[{"metadata":{"name":"a"}}],"jobTemplate":{"spec":{"template":null}}`))
	}
	snapshot, _ := injector.Compile(nil)
	store := &Store{}
	store.Swap(snapshot)
	h := &workloadsHook{store: store, log: silent()}
	f.Fuzz(func(t *testing.T, kind, raw string) {
		var w workload
		if w.read(kind, []byte(raw)) != nil {
			return
		}
		for _, text := range h.judge(&w, "shop") {
			if got := warning(text); len(got) > maxWarning || strings.ContainsAny(got, "\n\x00") {
				t.Errorf("warning %q", got)
			}
		}
	})
}
