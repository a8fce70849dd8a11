package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// readiness says whether requests should be sent here.
type readiness struct {
	draining    *atomic.Bool
	certificate func() error
	definitions func() error
	listener    *selfDial
	trusted     func() error // nil: not asked
	// wasTrusted stays true: later distrust is not mended by taking the server out.
	wasTrusted atomic.Bool
}

// condition is one part of readiness.
type condition struct {
	name string
	err  error
}

var errEnding = errors.New("the server is ending")

func (r *readiness) conditions(ctx context.Context) []condition {
	list := []condition{
		{"running", nil},
		{"certificate", r.certificate()},
		{"definitions", r.definitions()},
		{"listener", r.listener.check(ctx)},
		{"trust", r.trust()},
	}
	if r.draining.Load() {
		list[0].err = errEnding
	}
	return list
}

func (r *readiness) trust() error {
	if r.trusted == nil || r.wasTrusted.Load() {
		return nil
	}
	if err := r.trusted(); err != nil {
		return err
	}
	r.wasTrusted.Store(true)
	return nil
}

// check is nil where all conditions hold, else their faults.
func (r *readiness) check(ctx context.Context) error {
	var faults []error
	for _, c := range r.conditions(ctx) {
		if c.err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.name, c.err))
		}
	}
	return errors.Join(faults...)
}

// handler serves /healthz, which says that the process is alive, and /readyz.
// With ?verbose, and whenever the answer is no, all conditions are listed, as
// Kubernetes' own components do it.
func (r *readiness) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, q *http.Request) {
		list := r.conditions(q.Context())
		text, fine := describe(list)
		switch {
		case !fine:
			respond(w, http.StatusServiceUnavailable, text+"readyz check failed\n")
		case q.URL.Query().Has("verbose"):
			respond(w, http.StatusOK, text+"readyz check passed\n")
		default:
			respond(w, http.StatusOK, "ok\n")
		}
	})
	return mux
}

func describe(list []condition) (text string, fine bool) {
	var b strings.Builder
	fine = true
	for _, c := range list {
		if c.err == nil {
			fmt.Fprintf(&b, "[+]%s ok\n", c.name)
			continue
		}
		fine = false
		fmt.Fprintf(&b, "[-]%s failed: %s\n", c.name, strings.ReplaceAll(c.err.Error(), "\n", "; "))
	}
	return b.String(), fine
}

func respond(w http.ResponseWriter, code int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text)) // whoever asked may be gone
}

// selfDial asks whether the listener answers over TLS. An answer is kept for a
// second, so that probes cost no more than that.
type selfDial struct {
	address string
	config  *tls.Config

	mu  sync.Mutex
	at  time.Time
	err error
}

const (
	dialTimeout = time.Second
	dialEvery   = time.Second
)

// newSelfDial reaches the listener at its own address. That the certificate is
// the one that the source gives is checked instead of its name, since it is for
// the Service and not for this address.
func newSelfDial(address string, certificates Certificates) *selfDial {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("localhost", port)
	}
	return &selfDial{address: address, config: &tls.Config{
		InsecureSkipVerify: true, // verified by VerifyConnection
		VerifyConnection: func(state tls.ConnectionState) error {
			want, err := certificates.GetCertificate(&tls.ClientHelloInfo{})
			switch {
			case err != nil:
				return err
			case len(state.PeerCertificates) == 0 || want.Leaf == nil:
				return nil
			case !state.PeerCertificates[0].Equal(want.Leaf):
				return errors.New("another certificate is served than the current one; is the port another program's?")
			}
			return nil
		},
	}}
}

func (d *selfDial) check(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && time.Since(d.at) < dialEvery && d.err == nil {
		return nil
	}
	d.err = d.dial(ctx)
	d.at = time.Now()
	return d.err
}

func (d *selfDial) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	connection, err := (&tls.Dialer{Config: d.config}).DialContext(ctx, "tcp", d.address)
	if err != nil {
		return fmt.Errorf("it cannot be reached over TLS: %w", err)
	}
	return connection.Close()
}
