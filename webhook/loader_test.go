package webhook

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"colocate.dev/colocate/injector"
)

func testLoader() *loader { return newLoader(&Store{}, NewMetrics(), silent()) }

// asked is what a pod of that role is told.
func asked(t testing.TB, s *injector.Snapshot, name string) injector.Decision {
	t.Helper()
	var pod injector.Pod
	if err := injector.ReadPod([]byte(podJSON(`"colocate.dev/role":"`+name+`"`)), &pod); err != nil {
		t.Fatal(err)
	}
	return s.Plan(&pod, injector.Creation())
}

func reasonFor(t testing.TB, l *loader, name string) injector.Reason {
	t.Helper()
	return asked(t, l.store.Snapshot(), name).Reason
}

func TestLoaderBeforeTheFirstLoad(t *testing.T) {
	l := testLoader()
	if err := l.ready(); err == nil || reasonFor(t, l, "nginx") != injector.ReasonNoSnapshot {
		t.Errorf("ready %v, reason %v", err, reasonFor(t, l, "nginx"))
	}
}

func TestLoaderWithoutConfigMapsIsReady(t *testing.T) {
	l := testLoader()
	out := l.load(nil)
	if err := l.ready(); err != nil || out.kept || reasonFor(t, l, "nginx") != injector.ReasonUnknownRole {
		t.Errorf("ready %v, %+v, reason %v", err, out, reasonFor(t, l, "nginx"))
	}
}

func TestLoaderOneFaultLeavesTheOthersAlone(t *testing.T) {
	l := testLoader()
	good := func() *corev1.ConfigMap {
		return configMap("a", "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument, "other.yaml", role("other"))
	}
	l.load([]*corev1.ConfigMap{good()})
	if r := reasonFor(t, l, "nginx"); r != injector.ReasonInjected {
		t.Fatalf("reason %v", r)
	}

	persistent := good()
	persistent.Data["log-forwarder.yaml"] = persistentDocument
	out := l.load([]*corev1.ConfigMap{persistent})
	if r := reasonFor(t, l, "nginx"); r != injector.ReasonPersistentState {
		t.Errorf("a rule was broken: reason %v", r)
	}
	if r := reasonFor(t, l, "other"); r == injector.ReasonPersistentState || !asked(t, l.store.Snapshot(), "other").Known {
		t.Errorf("the other role: reason %v", r)
	}
	if !broken(out.problems) || valueOf(t, l.metrics.valid) != 0 || out.usable != 1 {
		t.Errorf("not reported: %+v", out)
	}

	l.load([]*corev1.ConfigMap{good()})
	unreadable := good()
	unreadable.Data["nginx.yaml"] = brokenDocument
	out = l.load([]*corev1.ConfigMap{unreadable})
	if r := reasonFor(t, l, "nginx"); r != injector.ReasonInjected || !broken(out.problems) {
		t.Errorf("unreadable: reason %v, %+v", r, out)
	}

	l.load([]*corev1.ConfigMap{good()})
	if valueOf(t, l.metrics.valid) != 1 || valueOf(t, l.metrics.lastSuccess) == 0 {
		t.Error("mended, and not reported so")
	}
}

func TestLoaderAfterARestartKnowsNoFormer(t *testing.T) {
	l := testLoader()
	l.load([]*corev1.ConfigMap{configMap("a", "nginx.yaml", brokenDocument, "other.yaml", role("other"))})
	if r := reasonFor(t, l, "nginx"); r != injector.ReasonUnreadableDefinition {
		t.Errorf("reason %v", r)
	}
	if err := l.ready(); err != nil {
		t.Errorf("another role can be used: %v", err)
	}
}

func TestLoaderNothingUsableIsNotReady(t *testing.T) {
	cases := map[string]struct {
		maps []*corev1.ConfigMap
		want string
	}{
		"unreadable": {
			[]*corev1.ConfigMap{configMap("a", "nginx.yaml", brokenDocument)},
			"none of 1 documents can be used: ConfigMap colocate-system/a[nginx.yaml]:5:1: ",
		},
		"a rule broken": {
			[]*corev1.ConfigMap{configMap("a", "nginx.yaml", nginxDocument, "log-forwarder.yaml", persistentDocument)},
			"none of 2 documents can be used: ConfigMap colocate-system/a[log-forwarder.yaml]",
		},
		"keys that are none": {
			[]*corev1.ConfigMap{configMap("a", "nginx.yml", role("nginx"))},
			`none of 1 documents can be used: ConfigMap colocate-system/a[nginx.yml]: key "nginx.yml" is not read`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := testLoader()
			l.load(c.maps)
			if err := l.ready(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("ready: %v", err)
			}
			// Pods that come all the same get the reason.
			if d := asked(t, l.store.Snapshot(), "nginx"); d.Outcome != injector.Refused {
				t.Errorf("outcome %v", d.Outcome)
			}
			l.load([]*corev1.ConfigMap{configMap("a", "nginx.yaml", role("nginx"))})
			if err := l.ready(); err != nil {
				t.Errorf("mended: %v", err)
			}
			l.load(c.maps)
			if err := l.ready(); err != nil {
				t.Errorf("once ready, always ready: %v", err)
			}
		})
	}
}

func TestLoaderDeletion(t *testing.T) {
	l := testLoader()
	one, two := configMap("one", "a.yaml", role("a")), configMap("two", "b.yaml", role("b"))
	l.load([]*corev1.ConfigMap{two, one})
	out := l.load([]*corev1.ConfigMap{one})
	if out.kept || asked(t, l.store.Snapshot(), "b").Known || !asked(t, l.store.Snapshot(), "a").Known {
		t.Errorf("one of two: %+v", out)
	}
	before := l.store.Snapshot()
	for _, gone := range [][]*corev1.ConfigMap{nil, {configMap("one")}} {
		out = l.load(gone)
		if !out.kept || l.store.Snapshot() != before || out.roles != 1 {
			t.Errorf("the last: %+v", out)
		}
		if valueOf(t, l.metrics.valid) != 0 {
			t.Error("what is in force is not what is written")
		}
	}
	out = l.load([]*corev1.ConfigMap{two})
	if out.kept || asked(t, l.store.Snapshot(), "a").Known || !asked(t, l.store.Snapshot(), "b").Known {
		t.Errorf("another afterwards: %+v", out)
	}
}

func TestLoaderOrderOfConfigMapsDoesNotMatter(t *testing.T) {
	a, b := configMap("a", "x.yaml", role("x")), configMap("b", "x.yaml", role("x"), "y.yaml", role("y"))
	one, two := testLoader(), testLoader()
	first, second := one.load([]*corev1.ConfigMap{a, b}), two.load([]*corev1.ConfigMap{b, a})
	if note(first.problems, -1) != note(second.problems, -1) {
		t.Errorf("%s\n%s", note(first.problems, -1), note(second.problems, -1))
	}
}
