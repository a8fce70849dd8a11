package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"colocate.dev/colocate/injector"
)

// written are the Events that were written.
type written struct {
	mu    sync.Mutex
	lines []string
}

func (w *written) Eventf(regarding, _ runtime.Object, eventType, reason, _, note string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	object, err := meta.Accessor(regarding)
	if err != nil {
		panic(err)
	}
	w.lines = append(w.lines, fmt.Sprintf("%s %s %s %s: %s", regarding.GetObjectKind().GroupVersionKind().Kind, object.GetName(), eventType, reason, fmt.Sprintf(note, args...)))
}

// take gives the Events since the last time.
func (w *written) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Join(w.lines, "\n")
	w.lines = nil
	return all
}

func fakeClient(t testing.TB, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func TestReconcileReportsOnce(t *testing.T) {
	elsewhere := configMap("elsewhere", "x.yaml", role("x"))
	elsewhere.Namespace = "shop"
	unlabelled := configMap("unlabelled", "y.yaml", role("y"))
	unlabelled.Labels = nil
	c := fakeClient(t, elsewhere, unlabelled, configMap("a", "nginx.yaml", role("nginx")), configMap("b", "other.yaml", role("other")))
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	l := newLoader(&Store{}, NewMetrics(), log)
	events := &written{}
	r := newReconciler(c, namespace, l, events, log)

	step := func(name, wantEvents string, wantLog ...string) {
		t.Helper()
		logged.Reset()
		if err := r.reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := events.take(); got != wantEvents {
			t.Errorf("%s: events\n%s\nwant\n%s", name, got, wantEvents)
		}
		for _, want := range wantLog {
			if !strings.Contains(logged.String(), want) {
				t.Errorf("%s: log\n%s\nhas no %s", name, logged.String(), want)
			}
		}
	}
	change := func(name, key, text string) {
		t.Helper()
		if err := c.Update(t.Context(), configMap(name, key, text)); err != nil {
			t.Fatal(err)
		}
	}

	step("first", "", `level=INFO msg="definitions loaded" configMaps=2 documents=2 roles=2 usable=2 problems=0`)
	if _, known := l.store.Snapshot().Role("x"); known {
		t.Error("a ConfigMap of another namespace was read")
	}

	change("a", "nginx.yaml", brokenDocument)
	const faulty = `ConfigMap a Warning DefinitionsFaulty: ConfigMap colocate-system/a[nginx.yaml]:5:1: a tab stands where YAML wants spaces: indent with spaces ("nginx" stays as it was read before)`
	step("broken", faulty,
		`level=WARN msg="definitions loaded with faults"`,
		`level=WARN msg="definition is faulty" source="ConfigMap colocate-system/a" key=nginx.yaml line=5 column=1 definition=nginx reason=UnreadableDefinition`)
	step("unchanged", "")
	if strings.Contains(logged.String(), "is faulty") {
		t.Errorf("said twice:\n%s", logged.String())
	}

	change("b", "other.yaml", role("other")+"# a comment\n")
	step("another changed", "")

	change("a", "nginx.yaml", role("nginx"))
	step("mended", "ConfigMap a Normal DefinitionsInOrder: all definitions are in force as they are written")

	for _, name := range []string{"a", "b"} {
		if err := c.Delete(t.Context(), configMap(name)); err != nil {
			t.Fatal(err)
		}
	}
	step("all deleted", "", `level=WARN msg="no definitions are there any more: what was loaded stays in force until others are"`)
	if _, known := l.store.Snapshot().Role("nginx"); !known {
		t.Error("the snapshot was given up")
	}
}

func TestReconcileWithoutConfigMaps(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	l := newLoader(&Store{}, NewMetrics(), log)
	r := newReconciler(fakeClient(t), namespace, l, &written{}, log)
	if err := r.reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(logged.String(), "level=WARN") || l.ready() != nil {
		t.Errorf("ready %v, log %s", l.ready(), logged.String())
	}
}

// listing counts and may fail.
type listing struct {
	client.Reader
	mu    sync.Mutex
	lists int
	fail  int // so many times
}

func (l *listing) List(ctx context.Context, list client.ObjectList, o ...client.ListOption) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lists++
	if l.fail > 0 {
		l.fail--
		return errors.New("no")
	}
	return l.Reader.List(ctx, list, o...)
}

func (l *listing) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lists
}

func TestReconcilerGathersBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := &listing{Reader: fakeClient(t, configMap("a", "x.yaml", role("x")))}
		r := newReconciler(reader, namespace, testLoader(), &written{}, silent())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Start(ctx) }()
		synctest.Wait()
		if n := reader.count(); n != 1 {
			t.Fatalf("%d loads at the start", n)
		}
		for range 20 { // 200 ms of changes
			r.notice()
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := reader.count(); n != 2 {
			t.Errorf("%d loads for one burst", n-1)
		}
		for range 100 { // a storm of a second
			r.notice()
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := reader.count() - 2; n < 3 || n > 5 {
			t.Errorf("%d loads in a storm of a second", n)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestReconcilerTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := &listing{Reader: fakeClient(t, configMap("a", "x.yaml", role("x"))), fail: 2}
		l := testLoader()
		r := newReconciler(reader, namespace, l, &written{}, silent())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Start(ctx) }()
		time.Sleep(5 * time.Second)
		if err := l.ready(); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestNoteIsShort(t *testing.T) {
	var many []problem
	for range 100 {
		many = append(many, problem{Fault: injector.Fault{Message: strings.Repeat("é", 30)}})
	}
	for name, problems := range map[string][]problem{
		"many": many,
		"long": {{Fault: injector.Fault{Message: strings.Repeat("é", 2000)}}, many[0]},
	} {
		text := note(problems, maxNote)
		if len(text) > maxNote || !strings.Contains(text, " more; see the log") || strings.ToValidUTF8(text, "") != text {
			t.Errorf("%s: %d bytes: %s", name, len(text), text)
		}
	}
}

func TestStrip(t *testing.T) {
	cm := configMap("a", "x.yaml", role("x"))
	cm.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "long"}
	out, err := strip(cm)
	if got, ok := out.(*corev1.ConfigMap); err != nil || !ok || got.Annotations != nil || len(got.Data) != 1 {
		t.Errorf("%v %v", out, err)
	}
}

// A warning is for the log; Events are for what is not in force.
func TestAnnouncerWritesNoEventsForWarnings(t *testing.T) {
	events := &written{}
	a := newAnnouncer(events, silent())
	cm := configMap("a")
	fault := problem{Fault: injector.Fault{Origin: injector.Origin{Source: sourceOf(cm.Namespace, cm.Name)}, Message: "no good"}}
	doubt := fault
	doubt.Warning, doubt.Message = true, "doubtful"
	for _, step := range []struct {
		problems []problem
		want     string
	}{
		{[]problem{doubt}, ""},
		{nil, ""},
		{[]problem{fault, doubt}, "ConfigMap a Warning DefinitionsFaulty: ConfigMap colocate-system/a: no good"},
		{[]problem{fault}, ""},
		{[]problem{doubt}, "ConfigMap a Normal DefinitionsInOrder: all definitions are in force as they are written"},
	} {
		a.announce(t.Context(), []*corev1.ConfigMap{cm}, loading{documents: 1, problems: step.problems}, 0)
		if got := events.take(); got != step.want {
			t.Errorf("events %q, want %q", got, step.want)
		}
	}
}
