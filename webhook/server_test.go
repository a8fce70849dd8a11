package webhook

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestServerAnswersOverTLS(t *testing.T) {
	r := start(t, nil)
	c := r.client(t)
	w, err := c.Post("https://"+r.address+"/mutate?timeout=5s", "application/json", strings.NewReader(review(podJSON(asksForNginx))))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if a := decodeAnswer(t, body); w.StatusCode != http.StatusOK || len(a.Response.Patch) == 0 || w.ContentLength != int64(len(body)) {
		t.Errorf("%d %s", w.StatusCode, body)
	}
	if w.ProtoMajor != 1 || w.TLS.Version != tls.VersionTLS13 {
		t.Errorf("%s, TLS %x", w.Proto, w.TLS.Version)
	}
	for path, want := range map[string]string{
		"http://" + r.options.ProbeAddress + "/readyz?verbose":         "readyz check passed",
		"http://" + r.options.ProbeAddress + "/healthz":                "ok",
		"http://" + r.options.MetricsAddress + "/metrics":              `colocate_admissions_total{reason="Injected",result="injected",role="nginx"} 1`,
		"http://" + r.options.MetricsAddress + "/metrics?x":            "colocate_certificate_expiry_timestamp_seconds",
		"https://" + r.address + "/debug/pprof/":                       "404 page not found",
		"http://" + r.options.MetricsAddress + "/debug/pprof/":         "404 page not found",
		"http://" + r.options.MetricsAddress + "/metrics?controller=1": "controller_runtime_webhook_requests_total",
	} {
		w, err := c.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(w.Body)
		w.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v %s", path, err, text)
		}
	}
}

func TestServerRefusesOldTLS(t *testing.T) {
	r := start(t, nil)
	_, err := tls.Dial("tcp", r.address, &tls.Config{RootCAs: r.source.pool, MaxVersion: tls.VersionTLS12})
	if err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("TLS 1.2: %v", err)
	}
	_, err = tls.Dial("tcp", r.address, &tls.Config{RootCAs: r.source.pool, NextProtos: []string{"h2"}})
	if err == nil {
		t.Error("HTTP/2 is offered")
	}
}

func TestServerAsksClientsForACertificate(t *testing.T) {
	theirs, others := newOwnCertificate(t), newOwnCertificate(t)
	r := start(t, func(o *Options) { o.ClientCAs = theirs.pool })
	try := func(certificates ...tls.Certificate) error {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.source.pool, Certificates: certificates}, DisableKeepAlives: true}
		_, _, err := send(&http.Client{Transport: transport}, r.address, review(podJSON("")))
		return err
	}
	if err := try(theirs.certificate); err != nil {
		t.Errorf("with a certificate: %v", err)
	}
	if err := try(); err == nil {
		t.Error("without a certificate: answered")
	}
	if err := try(others.certificate); err == nil {
		t.Error("with another's certificate: answered")
	}
}

// Clients that begin a body and do not end it are told off in time, and hold up nobody.
func TestServerDoesNotWaitForSlowClients(t *testing.T) {
	r := start(t, nil)
	var slow sync.WaitGroup
	for i := range 20 {
		slow.Go(func() {
			c := r.dial(t)
			fmt.Fprintf(c, "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{")
			begin := time.Now()
			if i%2 == 0 {
				_ = c.CloseWrite() // half open: it still listens
			}
			w, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("slow client %d: %v", i, err)
				return
			}
			w.Body.Close()
			if want := map[bool]int{true: 400, false: 408}[i%2 == 0]; w.StatusCode != want {
				t.Errorf("slow client %d: %d", i, w.StatusCode)
			}
			if took := time.Since(begin); took > readTimeout+2*time.Second {
				t.Errorf("slow client %d: after %v", i, took)
			}
		})
	}
	c := r.client(t)
	for range 50 {
		begin := time.Now()
		if code, _, err := send(c, r.address, review(podJSON(asksForNginx))); err != nil || code != 200 {
			t.Errorf("beside slow clients: %d %v", code, err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("beside slow clients: %v", took)
		}
	}
	slow.Wait()
}

func TestServerBoundsBodies(t *testing.T) {
	r := start(t, nil)
	c := r.client(t)
	if code, text, err := send(c, r.address, strings.Repeat(" ", maxBody+1)); err == nil && code != 413 {
		t.Errorf("too large: %d %s", code, text)
	}
	w, err := c.Post("https://"+r.address+"/mutate", "application/json", io.LimitReader(endless{}, maxBody+1))
	if err == nil {
		if w.Body.Close(); w.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("endless: %d", w.StatusCode)
		}
	}
	// More than fits at once: each is answered, or told to come again.
	body := review(largePod(6 << 20))
	var answered, again atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			switch code, _, err := send(c, r.address, body); {
			case err == nil && code == 200:
				answered.Add(1)
			case err == nil && code == 503:
				again.Add(1)
			default:
				t.Errorf("large: %d %v", code, err)
			}
		})
	}
	all.Wait()
	if answered.Load() == 0 {
		t.Error("no large body was answered")
	}
	t.Logf("%d answered, %d told to come again", answered.Load(), again.Load())
}

// Whoever sends while the server ends is answered: on connections that are kept,
// and, through the grace period, on new ones.
func TestServerEndsInGoodOrder(t *testing.T) {
	r := start(t, func(o *Options) { o.Grace = 700 * time.Millisecond })
	c := r.client(t)
	body := review(podJSON(asksForNginx))
	var sent, failed atomic.Int32
	stop := make(chan struct{})
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if code, _, err := send(c, r.address, body); err != nil || code != 200 {
					failed.Add(1)
					t.Errorf("%d %v", code, err)
				}
				sent.Add(1)
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	asked := time.Now()
	r.end()
	time.Sleep(100 * time.Millisecond)
	if err := r.Ready(context.Background()); !errors.Is(err, errEnding) {
		t.Errorf("ready while ending: %v", err)
	}
	time.Sleep(400 * time.Millisecond)
	close(stop)
	senders.Wait()

	// One request is in flight when the listener closes.
	in := r.dial(t)
	fmt.Fprintf(in, "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:100])
	time.Sleep(time.Until(asked.Add(900 * time.Millisecond)))
	if conn, err := net.Dial("tcp", r.address); err == nil {
		_ = conn.Close()
		t.Error("still listening after the grace period")
	}
	fmt.Fprint(in, body[100:])
	w, err := http.ReadResponse(bufio.NewReader(in), nil)
	if err != nil {
		t.Fatalf("in flight: %v", err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusOK || !w.Close {
		t.Errorf("in flight: %d, close %v", w.StatusCode, w.Close)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	t.Logf("%d sent, %d failed", sent.Load(), failed.Load())
	if sent.Load() == 0 {
		t.Error("nothing was sent")
	}
}

// A port that is taken is an error, and leaves nothing running.
func TestServerSaysWhatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, edit := range map[string]func(*Options){
		"webhook": func(o *Options) { o.Address = taken.Addr().String() },
		"probes":  func(o *Options) { o.ProbeAddress = taken.Addr().String() },
	} {
		o := Options{Address: freeAddress(t), Certificates: newOwnCertificate(t), Snapshot: snapshotOf(t)}
		edit(&o)
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Start(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPprofOnlyWhenAskedFor(t *testing.T) {
	address := freeAddress(t)
	r := start(t, func(o *Options) { o.PprofAddress = address })
	w, err := r.client(t).Get("http://" + address + "/debug/pprof/")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusOK {
		t.Errorf("%d", w.StatusCode)
	}
}

// What is in pods and definitions never gets into the log, at any level.
func TestLogHoldsNoContent(t *testing.T) {
	var logged lockedBuffer
	r := start(t, func(o *Options) {
		o.Logger = slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.Level(-10)}))
	})
	c := r.client(t)
	bodies := []string{
		review(podJSON(asksForNginx)), review(podJSON("")),
		review(strings.Replace(podJSON(asksForNginx), `"image":"example.org/nginx:1"`, `"image":7`, 1)),
		review(strings.Replace(podJSON(asksForNginx), `"colocate.dev/role"`, `"colocate.dev/inject":"canary-annotation","colocate.dev/role"`, 1)),
		review(strings.Replace(podJSON(asksForNginx), `"name":"nginx"`, `"name":"log-forwarder"`, 1)),
		review(podJSON(asksForNginx))[:300],
		reviewOf(t, "ConfigMap", "CREATE", namespace, configMap("a", "log-forwarder.yaml", forwarderDocument, "nginx.yaml", brokenDocument)),
		reviewOf(t, "Deployment", "CREATE", "shop", workloadJSON(`"example.org/secret":"canary-annotation"`, `"template":`+podJSON(asksForNginx))),
	}
	for _, path := range []string{"/mutate", "/validate/definitions", "/validate/workloads", "/validate/workloads-left-out"} {
		for _, body := range bodies {
			w, err := c.Post("https://"+r.address+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			w.Body.Close()
		}
	}
	text := logged.String()
	if strings.Contains(text, "canary") || strings.Contains(text, "patch") {
		t.Errorf("log:\n%s", text)
	}
	if n := strings.Count(text, `"msg":"admission"`); n < 4 {
		t.Errorf("%d admissions in the log:\n%s", n, text)
	}
}
