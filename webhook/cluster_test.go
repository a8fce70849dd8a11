package webhook

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// A server that cannot reach the API server is not ready, and ends when asked to.
func TestServerWithoutAnAPIServerEnds(t *testing.T) {
	s, err := New(Options{
		Address: freeAddress(t), Certificates: newOwnCertificate(t),
		Cluster: &Cluster{Config: &rest.Config{Host: "https://" + freeAddress(t)}, Namespace: namespace},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	time.Sleep(500 * time.Millisecond)
	if err := s.Ready(ctx); err == nil {
		t.Error("ready")
	} else {
		t.Log(err)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("does not end")
	}
}
