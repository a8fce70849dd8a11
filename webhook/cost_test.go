package webhook

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"colocate.dev/colocate/injector"
)

// sink is a response without a connection, which costs nothing itself.
type sink struct {
	header http.Header
	code   int
	size   int
}

func (s *sink) Header() http.Header              { return s.header }
func (s *sink) WriteHeader(code int)             { s.code = code }
func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }
func (s *sink) Write(p []byte) (int, error)      { s.size += len(p); return len(p), nil }

// replay is one request that can be sent again and again.
type replay struct {
	handler http.Handler
	request *http.Request
	raw     []byte
	body    *bytes.Reader
	answer  *sink
}

func newReplay(handler http.Handler, body string) *replay {
	r := &replay{handler: handler, raw: []byte(body), body: bytes.NewReader(nil), answer: &sink{header: http.Header{}}}
	r.request = httptest.NewRequest(http.MethodPost, "/mutate?timeout=5s", nil)
	r.request.Header.Set("Content-Type", "application/json")
	r.request.ContentLength = int64(len(body))
	r.request.Body = io.NopCloser(r.body)
	return r
}

func (r *replay) send() {
	r.body.Reset(r.raw)
	clear(r.answer.header)
	r.handler.ServeHTTP(r.answer, r.request)
}

// logging is a logger as in production.
func logging() *slog.Logger { return slog.New(slog.NewJSONHandler(io.Discard, nil)) }

// sizes are pods of very different sizes that get the same.
func sizes() map[string]string {
	return map[string]string{
		"small": review(podJSON(asksForNginx)), "large": review(largePod(250 << 10)),
		"many": review(strings.Replace(podJSON(asksForNginx), `"env":[`, `"env":[`+strings.Repeat(`{"name":"A","value":"b"},`, 3000), 1)),
	}
}

// What an admission costs in memory, besides net/http: at most ten allocations
// with the log line and the metrics on, whatever the size of the pod.
func TestAdmissionCostsFewAllocations(t *testing.T) {
	h, _ := podsFor(snapshotOf(t, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument), logging(), io.Discard)
	bodies := sizes()
	bodies["not asked"] = review(podJSON(""))
	for name, body := range bodies {
		r := newReplay(h, body)
		r.send()
		if r.answer.code != 200 {
			t.Fatalf("%s: %d", name, r.answer.code)
		}
		if n := testing.AllocsPerRun(200, r.send); n > maxAllocations {
			t.Errorf("%s: %v allocations", name, n)
		} else {
			t.Logf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkAdmission(b *testing.B) {
	h, _ := podsFor(snapshotOf(b, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument), logging(), io.Discard)
	for name, body := range sizes() {
		b.Run(name, func(b *testing.B) {
			r := newReplay(h, body)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r.send()
			}
		})
	}
}

func BenchmarkAnswer(b *testing.B) {
	snapshot := snapshotOf(b, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument)
	var pod injector.Pod
	if err := injector.ReadPod([]byte(podJSON(asksForNginx)), &pod); err != nil {
		b.Fatal(err)
	}
	d := snapshot.Plan(&pod, injector.Creation())
	var answer, patch []byte
	uid := []byte("705ab4f5")
	b.ReportAllocs()
	for b.Loop() {
		answer, patch = appendAnswer(answer[:0], patch, uid, &d)
	}
}
