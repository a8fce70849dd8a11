package webhook

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"colocate.dev/colocate/injector"
)

// documents decodes ConfigMaps anew.
func documents(configMaps ...*corev1.ConfigMap) []document { return (&decoder{}).decode(configMaps) }

// forms are the readable forms of one ConfigMap called "before".
func forms(pairs ...string) map[string]injector.Definition {
	return settle(nil, documents(configMap("before", pairs...))).forms
}

func TestSettle(t *testing.T) {
	cases := map[string]struct {
		before map[string]injector.Definition
		now    []*corev1.ConfigMap
		// defs are name=source of the form, or name=unreadable.
		defs     []string
		forms    []string
		problems []string
	}{
		"nothing": {nil, nil, nil, nil, nil},
		"first load": {
			nil,
			[]*corev1.ConfigMap{configMap("now", "b.yaml", role("b"), "a.yaml", role("a"))},
			[]string{"a=now", "b=now"},
			[]string{"a", "b"},
			nil,
		},
		"unreadable, never read before": {
			forms("b.yaml", role("b")),
			[]*corev1.ConfigMap{configMap("now", "nginx.yaml", brokenDocument, "b.yaml", role("b"))},
			[]string{"b=now", "nginx=unreadable"},
			[]string{"b"},
			[]string{`ConfigMap colocate-system/now[nginx.yaml]:5:1: a tab stands where YAML wants spaces: indent with spaces (pods that need "nginx" are refused)`},
		},
		"unreadable, read before": {
			forms("nginx.yaml", role("nginx")),
			[]*corev1.ConfigMap{configMap("now", "nginx.yaml", brokenDocument)},
			[]string{"nginx=before"},
			[]string{"nginx"},
			[]string{`ConfigMap colocate-system/now[nginx.yaml]:5:1: a tab stands where YAML wants spaces: indent with spaces ("nginx" stays as it was read before)`},
		},
		"in two ConfigMaps, read before": {
			forms("nginx.yaml", role("nginx")),
			[]*corev1.ConfigMap{configMap("one", "nginx.yaml", role("nginx")), configMap("two", "nginx.yaml", nginxDocument)},
			[]string{"nginx=before"},
			[]string{"nginx"},
			[]string{`ConfigMap colocate-system/two[nginx.yaml]: definition "nginx" stands in ConfigMap colocate-system/one[nginx.yaml] and in ConfigMap colocate-system/two[nginx.yaml]: remove all but one ("nginx" stays as it was read before)`},
		},
		"in two ConfigMaps from the beginning": {
			nil,
			[]*corev1.ConfigMap{configMap("one", "nginx.yaml", role("nginx")), configMap("two", "nginx.yaml", role("nginx"))},
			[]string{"nginx=unreadable"},
			nil,
			[]string{`ConfigMap colocate-system/two[nginx.yaml]: definition "nginx" stands in ConfigMap colocate-system/one[nginx.yaml] and in ConfigMap colocate-system/two[nginx.yaml]: remove all but one (pods that need "nginx" are refused)`},
		},
		"rule-breaking is what its author asked for": {
			forms("log-forwarder.yaml", forwarderDocument),
			[]*corev1.ConfigMap{configMap("now", "log-forwarder.yaml", persistentDocument)},
			[]string{"log-forwarder=now"},
			[]string{"log-forwarder"},
			nil,
		},
		"one is removed": {
			forms("a.yaml", role("a"), "b.yaml", role("b")),
			[]*corev1.ConfigMap{configMap("now", "b.yaml", role("b"))},
			[]string{"b=now"},
			[]string{"b"},
			nil,
		},
		"all are removed": {forms("a.yaml", role("a")), nil, nil, nil, nil},
		"a key that is none": {
			nil,
			[]*corev1.ConfigMap{configMap("now", "a.yml", role("a"))},
			nil, nil,
			[]string{`ConfigMap colocate-system/now[a.yml]: key "a.yml" is not read: name it "a.yaml" (the key is passed over)`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(c.before)
			s := settle(c.before, documents(c.now...))
			var defs []string
			for _, d := range s.defs {
				from := "unreadable"
				if d.Unreadable == "" {
					from = d.Origin.Source[len("ConfigMap "+namespace+"/"):]
				}
				defs = append(defs, d.Name+"="+from)
			}
			var problems []string
			for _, p := range s.problems {
				problems = append(problems, p.String())
			}
			if diff := cmp.Diff(c.defs, defs); diff != "" {
				t.Errorf("definitions:\n%s", diff)
			}
			if diff := cmp.Diff(c.forms, slices.Sorted(maps.Keys(s.forms))); diff != "" {
				t.Errorf("forms:\n%s", diff)
			}
			if diff := cmp.Diff(c.problems, problems); diff != "" {
				t.Errorf("problems:\n%s", diff)
			}
			if !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(c.before))) {
				t.Error("what was given is changed")
			}
		})
	}
}

func TestDecoderReadsOnlyWhatChanged(t *testing.T) {
	var d decoder
	first := d.decode([]*corev1.ConfigMap{configMap("a", "x.yaml", role("x"), "y.yaml", role("y"))})
	second := d.decode([]*corev1.ConfigMap{configMap("a", "x.yaml", role("x"), "y.yaml", role("y")+"\n# changed\n")})
	same := func(i int) bool { return &first[i].defs[0] == &second[i].defs[0] }
	if !same(0) || same(1) {
		t.Errorf("the unchanged is kept: %v, the changed is kept: %v", same(0), same(1))
	}
	d.decode(nil)
	if len(d.known) != 0 {
		t.Error("what is gone is remembered")
	}
	all := d.decode([]*corev1.ConfigMap{{BinaryData: map[string][]byte{"x.yaml": []byte("x")}}})
	if len(all) != 1 || len(all[0].faults) != 1 {
		t.Errorf("binary data: %+v", all)
	}
}

// A version of a ConfigMap that was read already is not even looked at.
func TestDecoderKnowsVersions(t *testing.T) {
	cm := configMap("a", "x.yaml", role("x"))
	cm.ResourceVersion = "7"
	var d decoder
	first := d.decode([]*corev1.ConfigMap{cm})
	cm = configMap("a", "z.yaml", role("z"))
	cm.ResourceVersion = "7"
	if again := d.decode([]*corev1.ConfigMap{cm}); again[0].defs[0].Role != first[0].defs[0].Role {
		t.Error("the same version was read again")
	}
	cm.ResourceVersion = "8"
	if next := d.decode([]*corev1.ConfigMap{cm}); len(next) != 1 || next[0].defs[0].Name != "z" {
		t.Errorf("the next version was not read: %v", next)
	}
}
