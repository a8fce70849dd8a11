package webhook

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// listenTLS answers handshakes with a certificate until the test ends. accepted,
// which may be nil, counts connections.
func listenTLS(t *testing.T, own *ownCertificate, accepted *atomic.Int32) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: own.GetCertificate})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		Handler:  http.NotFoundHandler(),
		ErrorLog: log.New(io.Discard, "", 0),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew && accepted != nil {
				accepted.Add(1)
			}
		},
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return listener.Addr().String()
}

func TestReadyz(t *testing.T) {
	own, another := newOwnCertificate(t), newOwnCertificate(t)
	address := listenTLS(t, own, nil)
	closed := freeAddress(t)
	no := errors.New("first line\nsecond line")
	cases := map[string]struct {
		edit func(*readiness)
		want string // of the body, or a part of it
		fine bool
	}{
		"ready": {func(*readiness) {}, "[+]running ok\n[+]certificate ok\n[+]definitions ok\n[+]listener ok\n[+]trust ok\nreadyz check passed\n", true},
		"ending": {
			func(r *readiness) { r.draining.Store(true) },
			"[-]running failed: the server is ending\n[+]certificate ok\n[+]definitions ok\n[+]listener ok\n[+]trust ok\nreadyz check failed\n", false,
		},
		"no certificate":       {func(r *readiness) { r.certificate = func() error { return no } }, "[-]certificate failed: first line; second line\n", false},
		"no definitions":       {func(r *readiness) { r.definitions = func() error { return no } }, "[-]definitions failed: first line; second line\n", false},
		"not trusted":          {func(r *readiness) { r.trusted = func() error { return no } }, "[-]trust failed: first line; second line\n", false},
		"trusted":              {func(r *readiness) { r.trusted = func() error { return nil } }, "[+]trust ok\n", true},
		"not listening":        {func(r *readiness) { r.listener = newSelfDial(closed, own) }, "[-]listener failed: it cannot be reached over TLS: dial tcp", false},
		"another program's":    {func(r *readiness) { r.listener = newSelfDial(address, another) }, "is the port another program's?\n", false},
		"by a general address": {func(r *readiness) { r.listener = newSelfDial(strings.Replace(address, "127.0.0.1", "", 1), own) }, "[+]listener ok\n", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &readiness{
				draining: &atomic.Bool{}, certificate: own.Ready, listener: newSelfDial(address, own),
				definitions: func() error { return nil },
			}
			c.edit(r)
			for _, path := range []string{"/readyz", "/readyz?verbose"} {
				w := httptest.NewRecorder()
				r.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
				if (w.Code == 200) != c.fine || !c.fine && w.Code != 503 {
					t.Errorf("%s: code %d", path, w.Code)
				}
				switch short := c.fine && path == "/readyz"; {
				case short && w.Body.String() != "ok\n":
					t.Errorf("%s: %s", path, w.Body)
				case !short && !strings.Contains(w.Body.String(), c.want):
					t.Errorf("%s: %s", path, w.Body)
				}
			}
			if err := r.check(t.Context()); (err == nil) != c.fine {
				t.Errorf("check: %v", err)
			}
		})
	}
}

// Distrust that comes later is mended elsewhere; it must not take all replicas
// out at once.
func TestTrustIsAskedUntilItIsThere(t *testing.T) {
	var asked, trusted int
	r := &readiness{trusted: func() error {
		asked++
		if asked < 3 || trusted > 0 {
			return errors.New("no")
		}
		trusted++
		return nil
	}}
	for want := range 5 {
		if err := r.trust(); (err == nil) != (want >= 2) {
			t.Errorf("time %d: %v", want+1, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

func TestHealthzIsAboutTheProcess(t *testing.T) {
	r := &readiness{draining: &atomic.Bool{}}
	w := httptest.NewRecorder()
	r.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if w.Code != 200 || w.Body.String() != "ok\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestSelfDialIsNotRepeatedAtOnce(t *testing.T) {
	own := newOwnCertificate(t)
	var accepted atomic.Int32
	d := newSelfDial(listenTLS(t, own, &accepted), own)
	for range 50 {
		if err := d.check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := accepted.Load(); n > 2 {
		t.Errorf("%d connections", n)
	}
}
