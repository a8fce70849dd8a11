package certs

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Connection is how an [Authority] reaches the API server, and how it learns the
// API server's time.
type Connection struct {
	// Client reads and writes without a cache.
	Client client.WithWatch
	// Time is the API server's time; nil means that of the clock.
	Time func() time.Time
}

// Connect makes a connection of its own: it caches nothing, asks for no
// discovery (the three kinds are known), and notes the Date of each answer. The
// configuration is copied.
func Connect(config *rest.Config) (Connection, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, admissionv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return Connection{}, fmt.Errorf("certificates: client: %w", err)
		}
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	mapper.Add(admissionv1.SchemeGroupVersion.WithKind(string(Mutating)), meta.RESTScopeRoot)
	mapper.Add(admissionv1.SchemeGroupVersion.WithKind(string(Validating)), meta.RESTScopeRoot)

	observed := &serverTime{clock: clock.RealClock{}}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &dateReader{next, observed} })
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return Connection{}, fmt.Errorf("certificates: client: %w", err)
	}
	return Connection{Client: c, Time: observed.now}, nil
}

// serverTime is the API server's clock, as far as its answers tell. Between two
// answers it goes on with the local clock.
type serverTime struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	date  time.Time // that the last answer told; zero before the first
	local time.Time // when it arrived, with the monotonic reading
}

// now is the API server's time, to a few seconds. Where the wall clock and the
// monotonic clock disagree since the last answer, either the machine slept or
// somebody set the clock. The later of the two is given, for its consequence is
// harmless: certificates are renewed early. Before a Secret is written it is read
// again, which puts this clock right.
func (t *serverTime) now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	local := t.clock.Now()
	if t.date.IsZero() {
		return local
	}
	monotonic := local.Sub(t.local)
	wall := local.Round(0).Sub(t.local.Round(0))
	return t.date.Add(max(monotonic, wall))
}

func (t *serverTime) observe(date time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.date, t.local = date, t.clock.Now()
}

// dateReader notes the Date of each answer.
type dateReader struct {
	next http.RoundTripper
	time *serverTime
}

// RoundTrip is [http.RoundTripper].
func (r *dateReader) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		r.time.observe(date)
	}
	return response, nil
}

// WrappedRoundTripper gives client-go the transport beneath, which it asks for
// when it closes idle connections.
func (r *dateReader) WrappedRoundTripper() http.RoundTripper { return r.next }
