package certs

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testNamespace = "hooks-system"
	testSecret    = "hooks-ca"
	testHost      = "hooks.hooks-system.svc"
)

var errDown = errors.New("connection refused")

// testWebhooks are one configuration of each kind.
func testWebhooks() []Webhooks {
	return []Webhooks{
		{Kind: Mutating, Name: "hooks", Entries: []string{"pods.example.org"}},
		{Kind: Validating, Name: "hooks", Entries: []string{"a.example.org", "b.example.org"}},
	}
}

// cluster is an API server of the tests: the fake client, made to fail on
// demand, with its writes counted.
type cluster struct {
	testing.TB
	client client.WithWatch
	down   atomic.Bool

	mu     sync.Mutex
	writes map[string]int // accepted, by verb and object
	// published is called with each caBundle after each change.
	published func(entry string, caBundle []byte)
}

func newCluster(tb testing.TB, objects ...client.Object) *cluster {
	tb.Helper()
	c := &cluster{TB: tb, writes: make(map[string]int)}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, admissionv1.AddToScheme} {
		if err := add(scheme); err != nil {
			tb.Fatal(err)
		}
	}
	name := func(o client.Object) []string { return []string{o.GetName()} }
	c.client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithIndex(&corev1.Secret{}, metav1.ObjectNameField, name).
		WithIndex(&admissionv1.MutatingWebhookConfiguration{}, metav1.ObjectNameField, name).
		WithIndex(&admissionv1.ValidatingWebhookConfiguration{}, metav1.ObjectNameField, name).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, next client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if err := c.refuse(ctx); err != nil {
					return err
				}
				return next.Get(ctx, key, o, opts...)
			},
			List: func(ctx context.Context, next client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				if err := c.refuse(ctx); err != nil {
					return err
				}
				return next.List(ctx, l, opts...)
			},
			Create: func(ctx context.Context, next client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				if err := c.refuse(ctx); err != nil {
					return err
				}
				return c.count("create", o, next.Create(ctx, o, opts...))
			},
			Update: func(ctx context.Context, next client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
				if err := c.refuse(ctx); err != nil {
					return err
				}
				return c.count("update", o, next.Update(ctx, o, opts...))
			},
			Patch: func(ctx context.Context, next client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
				if err := c.refuse(ctx); err != nil {
					return err
				}
				err := next.Patch(ctx, o, p, opts...)
				if err != nil && strings.Contains(err.Error(), "testing value") {
					err = apierrors.NewGenericServerResponse(422, "patch", admissionv1.Resource("webhooks"), o.GetName(), err.Error(), 0, false)
				}
				return c.count("patch", o, err)
			},
			Watch: c.watch,
		}).Build()
	return c
}

func (c *cluster) refuse(ctx context.Context) error {
	if c.down.Load() {
		return errDown
	}
	return ctx.Err()
}

func (c *cluster) count(verb string, o client.Object, err error) error {
	if err == nil {
		c.mu.Lock()
		c.writes[verb+" "+kindOf(o)]++
		c.mu.Unlock()
		c.publish(o)
	}
	return err
}

func kindOf(o client.Object) string {
	switch o.(type) {
	case *corev1.Secret:
		return "secret"
	case *admissionv1.MutatingWebhookConfiguration:
		return "mutating"
	}
	return "validating"
}

// written is how many writes were accepted, of all kinds that begin so.
func (c *cluster) written(prefix string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for what, count := range c.writes {
		if strings.HasPrefix(what, prefix) {
			n += count
		}
	}
	return n
}

func (c *cluster) publish(o client.Object) {
	if c.published == nil {
		return
	}
	for _, w := range testWebhooks() {
		if config := w.read(o); config != nil && w.Name == o.GetName() {
			for _, e := range config.entries {
				c.published(e.name, e.caBundle)
			}
		}
	}
}

// watch gives the present state first: the fake client does not know how to
// watch from a version on.
func (c *cluster) watch(ctx context.Context, next client.WithWatch, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	if err := c.refuse(ctx); err != nil {
		return nil, err
	}
	inner, err := next.Watch(ctx, list, opts...)
	if err != nil {
		return nil, err
	}
	now := list.DeepCopyObject().(client.ObjectList)
	if err := next.List(ctx, now, opts...); err != nil {
		inner.Stop()
		return nil, err
	}
	items, err := meta.ExtractList(now)
	if err != nil {
		inner.Stop()
		return nil, err
	}
	events := make(chan watch.Event)
	proxy := watch.NewProxyWatcher(events)
	go func() {
		defer inner.Stop()
		defer close(events)
		send := func(e watch.Event) bool {
			select {
			case events <- e:
				return true
			case <-proxy.StopChan():
			case <-ctx.Done():
			}
			return false
		}
		for _, item := range items {
			if !send(watch.Event{Type: watch.Modified, Object: item}) {
				return
			}
		}
		for {
			select {
			case e, ok := <-inner.ResultChan():
				if !ok || c.down.Load() || !send(e) {
					return
				}
			case <-proxy.StopChan():
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return proxy, nil
}

// configurations are the objects of testWebhooks, with that caBundle.
func configurations(caBundle []byte) []client.Object {
	service := admissionv1.WebhookClientConfig{
		Service:  &admissionv1.ServiceReference{Namespace: testNamespace, Name: "hooks"},
		CABundle: caBundle,
	}
	return []client.Object{
		&admissionv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "hooks"},
			Webhooks: []admissionv1.MutatingWebhook{
				{Name: "foreign.example.org", ClientConfig: admissionv1.WebhookClientConfig{CABundle: []byte("theirs")}},
				{Name: "pods.example.org", ClientConfig: service},
			},
		},
		&admissionv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "hooks"},
			Webhooks: []admissionv1.ValidatingWebhook{
				{Name: "a.example.org", ClientConfig: service},
				{Name: "b.example.org", ClientConfig: service},
			},
		},
	}
}

// secret reads the Secret, nil where there is none.
func (c *cluster) secret() *corev1.Secret {
	c.Helper()
	var s corev1.Secret
	err := c.client.Get(context.Background(), client.ObjectKey{Namespace: testNamespace, Name: testSecret}, &s)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		c.Fatal(err)
	}
	return &s
}

// changeSecret changes the Secret's data as a person would.
func (c *cluster) changeSecret(change func(data map[string][]byte)) {
	c.Helper()
	for {
		s := c.secret()
		if s.Data == nil {
			s.Data = make(map[string][]byte)
		}
		change(s.Data)
		err := c.client.Update(context.Background(), s)
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			c.Fatal(err)
		}
	}
}

// setBundles puts that caBundle into every entry, as somebody else's apply does.
func (c *cluster) setBundles(caBundle []byte) {
	c.Helper()
	for _, o := range configurations(caBundle) {
		for {
			was := o.DeepCopyObject().(client.Object)
			if err := c.client.Get(context.Background(), client.ObjectKeyFromObject(o), was); err != nil {
				c.Fatal(err)
			}
			o.SetResourceVersion(was.GetResourceVersion())
			err := c.client.Update(context.Background(), o)
			if err == nil {
				break
			}
			if !apierrors.IsConflict(err) {
				c.Fatal(err)
			}
		}
	}
}

// bundles are the caBundles of all entries, and whether each trusts the leaf of
// each source.
func (c *cluster) trusted(sources ...*Authority) error {
	var faults []error
	for _, w := range testWebhooks() {
		o := w.object()
		if err := c.client.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		for _, e := range w.read(o).entries {
			for _, a := range sources {
				leaf, err := a.GetCertificate(nil)
				if err != nil {
					faults = append(faults, err)
					continue
				}
				faults = append(faults, verify(e.caBundle, leaf.Leaf, e.host, a.options.Time()))
			}
		}
	}
	return errors.Join(faults...)
}

// authority makes a source on the cluster; nil clock for the real one.
func (c *cluster) authority(cl clock.Clock, change func(*Options)) *Authority {
	c.Helper()
	o := Options{
		Connection: Connection{Client: c.client},
		Namespace:  testNamespace,
		SecretName: testSecret,
		DNSNames:   []string{testHost},
		IPs:        []net.IP{net.IPv4(127, 0, 0, 1)},
		Webhooks:   testWebhooks(),
		Clock:      cl,
		Logger:     slog.New(slog.NewTextHandler(testWriter{c}, nil)),
	}
	if change != nil {
		change(&o)
	}
	a, err := NewAuthority(o)
	if err != nil {
		c.Fatal(err)
	}
	return a
}

// testWriter writes to the test's log.
type testWriter struct{ tb testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.tb.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// start runs sources until the test ends.
func start(tb testing.TB, sources ...Source) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	tb.Cleanup(func() { cancel(); wg.Wait() })
	for _, s := range sources {
		wg.Go(func() {
			if err := s.Start(ctx); err != nil {
				tb.Errorf("start: %v", err)
			}
		})
	}
}

// eventually waits until ok is nil, and says how long that took.
func eventually(tb testing.TB, within time.Duration, ok func() error) time.Duration {
	tb.Helper()
	begin := time.Now()
	for {
		err := ok()
		took := time.Since(begin)
		if err == nil {
			return took
		}
		if took > within {
			tb.Fatalf("not within %s: %v", within, err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
