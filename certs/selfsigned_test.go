package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestSelfSignedServes(t *testing.T) {
	s, err := NewSelfSigned([]string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: s.GetCertificate})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).HandshakeContext(context.Background())
			_ = conn.Close()
		}
	}()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.Bundle()) {
		t.Fatal("no bundle")
	}
	for _, name := range []string{"localhost", "127.0.0.1"} {
		conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = conn.Close()
	}
	if _, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "example.org"}); err == nil {
		t.Error("serves under a name that it was not made for")
	}
}

func TestSelfSignedRenews(t *testing.T) {
	c := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	s, err := newSelfSigned([]string{"localhost"}, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s)
	first := s.Expiry()
	eventually(t, 2*time.Second, func() error {
		if !c.HasWaiters() {
			return errors.New("does not wait")
		}
		return nil
	})
	c.Step(17 * time.Hour)
	eventually(t, 2*time.Second, func() error {
		if got := s.Expiry(); !got.Equal(first.Add(17 * time.Hour)) {
			return errors.New("not renewed: " + got.String())
		}
		return s.Ready()
	})
}

func TestSelfSignedNeedsAName(t *testing.T) {
	if _, err := NewSelfSigned(nil, nil); err == nil {
		t.Error("no name, and no error")
	}
}
