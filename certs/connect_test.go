package certs

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// stepped is a clock whose wall clock somebody sets, as time.Now cannot be.
type stepped struct{ now time.Time }

func (s *stepped) Now() time.Time                  { return s.now }
func (s *stepped) Since(t time.Time) time.Duration { return s.now.Sub(t) }

func TestServerTime(t *testing.T) {
	begin := time.Now() // has a monotonic reading
	local := &stepped{begin}
	server := &serverTime{clock: local}
	if got := server.now(); !got.Equal(begin) {
		t.Errorf("before an answer: %s", got)
	}
	date := begin.Round(0).Add(-48 * time.Hour) // this machine is two days ahead
	server.observe(date)
	local.now = begin.Add(time.Hour)
	if got, want := server.now(), date.Add(time.Hour); !got.Equal(want) {
		t.Errorf("an hour later: %s, want %s", got, want)
	}
	// Round(0) takes the monotonic reading away: only the wall clock is left.
	local.now = begin.Round(0).Add(2 * time.Hour)
	if got, want := server.now(), date.Add(2*time.Hour); !got.Equal(want) {
		t.Errorf("by the wall clock: %s, want %s", got, want)
	}
	server.observe(date.Add(time.Minute))
	if got, want := server.now(), date.Add(time.Minute); !got.Equal(want) {
		t.Errorf("after another answer: %s, want %s", got, want)
	}
}

// TestConnectAsksForOneObject shows what goes over the wire.
func TestConnectAsksForOneObject(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	date := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path+"?"+r.URL.Query().Get("fieldSelector"))
		mu.Unlock()
		w.Header().Set("Date", date.Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`))
	}))
	defer server.Close()
	connection, err := Connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAuthority(Options{
		Connection: connection, Namespace: testNamespace, SecretName: testSecret,
		DNSNames: []string{testHost}, Webhooks: testWebhooks(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.feeds() {
		// The kind of the answer is right for the first only; what is asked counts.
		_, _ = f.read(context.Background())
	}
	want := []string{
		"GET /api/v1/namespaces/hooks-system/secrets?metadata.name=hooks-ca",
		"GET /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?metadata.name=hooks",
		"GET /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?metadata.name=hooks",
	}
	if len(asked) != len(want) {
		t.Fatalf("asked for %q", asked)
	}
	for i := range want {
		if asked[i] != want[i] {
			t.Errorf("asked for %q, want %q", asked[i], want[i])
		}
	}
	if got := a.options.Time(); got.Sub(date) < 0 || got.Sub(date) > time.Minute {
		t.Errorf("the API server's time is %s, want %s", got, date)
	}
	if secret, known := a.view.readSecret(); secret != nil || !known {
		t.Errorf("Secret %v, known %t", secret, known)
	}
}
