package webhook

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// ownCertificate is a source with one certificate.
type ownCertificate struct {
	certificate tls.Certificate
	pool        *x509.CertPool
}

func newOwnCertificate(t testing.TB) *ownCertificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &ownCertificate{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool}
}

func (c *ownCertificate) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return &c.certificate, nil
}
func (c *ownCertificate) Start(ctx context.Context) error { <-ctx.Done(); return nil }
func (c *ownCertificate) Ready() error                    { return nil }
func (c *ownCertificate) Expiry() time.Time               { return c.certificate.Leaf.NotAfter }

// freeAddress is an address of loopback on which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// running is a server in a test.
type running struct {
	*Server
	address string
	source  *ownCertificate
	end     context.CancelFunc // asks for the end
	ended   chan error
}

// start runs a server without a cluster until the test ends.
func start(t *testing.T, edit func(*Options)) *running {
	t.Helper()
	r := &running{address: freeAddress(t), source: newOwnCertificate(t), ended: make(chan error, 1)}
	o := Options{
		Address: r.address, ProbeAddress: freeAddress(t), MetricsAddress: freeAddress(t), Certificates: r.source,
		Snapshot: snapshotOf(t, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument),
	}
	if edit != nil {
		edit(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = s
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	go func() { r.ended <- s.Start(ctx); close(r.ended) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.ended; err != nil {
			t.Errorf("server: %v", err)
		}
	})
	for deadline := time.Now().Add(10 * time.Second); s.Ready(ctx) != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %v", s.Ready(ctx))
		}
	}
	return r
}

// client speaks to it as an API server does.
func (r *running) client(t testing.TB) *http.Client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: r.source.pool}, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: 25,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

func (r *running) dial(t testing.TB) *tls.Conn {
	t.Helper()
	c, err := tls.Dial("tcp", r.address, &tls.Config{RootCAs: r.source.pool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(c *http.Client, address, body string) (code int, answer []byte, err error) {
	w, err := c.Post("https://"+address+"/mutate?timeout=5s", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	defer w.Body.Close()
	answer, err = io.ReadAll(w.Body)
	return w.StatusCode, answer, err
}

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
