package webhook

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"colocate.dev/colocate/injector"
)

// podsFor is the handler for pods behind its guard; lines, where given, takes the
// lines for admissions.
func podsFor(snapshot *injector.Snapshot, log *slog.Logger, lines ...io.Writer) (*guard, *Metrics) {
	store := &Store{}
	store.Swap(snapshot)
	m := NewMetrics()
	var out io.Writer
	if len(lines) > 0 {
		out = lines[0]
	}
	return &guard{next: newPods(store, m, log, out), room: newRoom(), draining: &atomic.Bool{}, metrics: m, log: log}, m
}

// post sends a body as the API server does.
func post(h http.Handler, body io.Reader, edit ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mutate?timeout=5s", body)
	r.Header.Set("Content-Type", "application/json")
	for _, e := range edit {
		e(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPodsAnswers(t *testing.T) {
	snapshot := snapshotOf(t, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument)
	const head = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"705ab4f5",`
	cases := map[string]struct {
		snapshot *injector.Snapshot
		body     string
		code     int
		want     string
	}{
		"not asked": {
			snapshot, review(podJSON("")), 200,
			head + `"allowed":true,"auditAnnotations":{"reason":"NotAsked","role":""}}}`,
		},
		"unknown role": {
			snapshot, review(podJSON(`"colocate.dev/role":"ngnix"`)), 200,
			head + `"allowed":false,"status":{"status":"Failure","code":403,"reason":"Forbidden","message":"role \"ngnix\" is not defined; did you mean \"nginx\"? Correct annotation colocate.dev/role, or apply the role's definition.",` +
				`"details":{"causes":[{"reason":"UnknownRole"}]}},"auditAnnotations":{"reason":"UnknownRole","role":"ngnix"}}}`,
		},
		"a role with control characters": {
			snapshot, review(podJSON(`"colocate.dev/role":"a\n\u0000\"é"`)), 200,
			head + `"allowed":false,"status":{"status":"Failure","code":403,"reason":"Forbidden","message":"role \"a  \\\"é\" is not defined. Correct annotation colocate.dev/role, or apply the role's definition.",` +
				`"details":{"causes":[{"reason":"UnknownRole"}]}},"auditAnnotations":{"reason":"UnknownRole","role":"a  \"é"}}}`,
		},
		"no snapshot": {
			nil, review(podJSON(asksForNginx)), 503,
			`{"kind":"Status","apiVersion":"v1","status":"Failure","code":503,"reason":"ServiceUnavailable","message":"no definitions are loaded yet; try again."}`,
		},
		"no snapshot, not asked": {
			nil, review(podJSON("")), 200,
			head + `"allowed":true,"auditAnnotations":{"reason":"NotAsked","role":""}}}`,
		},
		"a sub-resource": {
			snapshot, strings.Replace(review(podJSON(asksForNginx)), `"operation"`, `"subResource":"ephemeralcontainers","operation"`, 1), 200,
			head + `"allowed":true,"auditAnnotations":{"reason":"SubResource","role":"nginx"}}}`,
		},
		"a pod that is none": {
			snapshot, review(`{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":"none"}}`), 200, "",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h, _ := podsFor(c.snapshot, silent())
			w := post(h, strings.NewReader(c.body))
			if w.Code != c.code {
				t.Errorf("code %d, want %d", w.Code, c.code)
			}
			if c.want != "" && w.Body.String() != c.want {
				t.Errorf("body\n%s\nwant\n%s", w.Body, c.want)
			}
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("not JSON: %s", w.Body)
			}
			if c.want == "" {
				a := decodeAnswer(t, w.Body.Bytes())
				if a.Response.Allowed || a.Response.AuditAnnotations["reason"] != string(injector.ReasonUnreadablePod) {
					t.Errorf("answer %+v", a)
				}
			}
			if got := w.Header().Get("Retry-After"); (got == "1") != (c.code == 503) {
				t.Errorf("Retry-After %q", got)
			}
			if w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("content type %q", w.Header().Get("Content-Type"))
			}
		})
	}
}

func TestPodsPatchApplies(t *testing.T) {
	h, m := podsFor(snapshotOf(t, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument), silent())
	pod := podJSON(asksForNginx)
	w := post(h, strings.NewReader(review(pod)))
	a := decodeAnswer(t, w.Body.Bytes())
	if !a.Response.Allowed || a.Response.PatchType == nil || *a.Response.PatchType != "JSONPatch" || a.Response.UID != "705ab4f5" {
		t.Fatalf("answer %s", w.Body)
	}
	if got := a.Response.AuditAnnotations; got["role"] != "nginx" || got["reason"] != "Injected" {
		t.Errorf("audit annotations %v", got)
	}
	patch, err := jsonpatch.DecodePatch(a.Response.Patch)
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply([]byte(pod))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Spec struct{ Containers, Volumes []struct{ Name string } }
	}
	if err := json.Unmarshal(after, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Spec.Containers) != 2 || got.Spec.Containers[1].Name != "log-forwarder" || len(got.Spec.Volumes) != 1 {
		t.Errorf("pod %s", after)
	}

	// Asked again with the result, there is no patch and so no patchType either.
	w = post(h, strings.NewReader(review(string(after))))
	again := decodeAnswer(t, w.Body.Bytes())
	if !again.Response.Allowed || again.Response.Patch != nil || again.Response.PatchType != nil || bytes.Contains(w.Body.Bytes(), []byte("patch")) {
		t.Errorf("second answer %s", w.Body)
	}
	if n := valueOf(t, m.admissions.WithLabelValues("injected", "Injected", "nginx")); n != 1 {
		t.Errorf("%v admissions counted", n)
	}
}

func TestPodsTurnsAway(t *testing.T) {
	whole := review(podJSON(asksForNginx))
	header := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	cases := map[string]struct {
		body io.Reader
		edit func(*http.Request)
		code int
		want string
	}{
		"GET":              {strings.NewReader(whole), func(r *http.Request) { r.Method = http.MethodGet }, 405, "only POST is answered here\n"},
		"no content type":  {strings.NewReader(whole), func(r *http.Request) { r.Header.Del("Content-Type") }, 415, "the Content-Type must be application/json\n"},
		"YAML":             {strings.NewReader(whole), header("Content-Type", "application/yaml"), 415, "the Content-Type must be application/json\n"},
		"gzip":             {strings.NewReader(whole), header("Content-Encoding", "gzip"), 415, "a body with a Content-Encoding is not read\n"},
		"empty":            {strings.NewReader(""), nil, 400, "the request has no body\n"},
		"empty, no length": {io.MultiReader(strings.NewReader("")), nil, 400, "the request has no body\n"},
		"garbage":          {strings.NewReader("garbage"), nil, 400, "admission review: byte 0: the review is not an object\n"},
		"truncated":        {strings.NewReader(whole[:len(whole)/2]), nil, 400, "admission review: unexpected end of JSON\n"},
		"more behind it":   {strings.NewReader(whole + "{}"), nil, 400, ""},
		"another document": {strings.NewReader(`{"kind":"Pod","apiVersion":"v1"}`), nil, 400, "the body is not an AdmissionReview of apiVersion \"admission.k8s.io/v1\"\n"},
		"an old version":   {strings.NewReader(strings.Replace(whole, "io/v1\"", "io/v1beta1\"", 1)), nil, 400, "the body is not an AdmissionReview of apiVersion \"admission.k8s.io/v1\"\n"},
		"no request":       {strings.NewReader(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), nil, 400, "the AdmissionReview has no request with a uid\n"},
		"null request":     {strings.NewReader(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":null}`), nil, 400, ""},
		"no uid":           {strings.NewReader(strings.Replace(whole, `"uid":"705ab4f5",`, "", 1)), nil, 400, "the AdmissionReview has no request with a uid\n"},
		"too long":         {strings.NewReader(whole + strings.Repeat(" ", maxBody)), nil, 413, "the body has more than 7340032 bytes\n"},
		"endless":          {endless{}, nil, 413, "the body has more than 7340032 bytes\n"},
		"too slow":         {failing{os.ErrDeadlineExceeded}, nil, 408, "the body did not arrive in time\n"},
		"cut off":          {failing{io.ErrUnexpectedEOF}, nil, 400, "the body could not be read to its end\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h, m := podsFor(snapshotOf(t, "nginx.yaml", role("nginx")), silent())
			edit := c.edit
			if edit == nil {
				edit = func(*http.Request) {}
			}
			w := post(h, c.body, edit)
			if w.Code != c.code || c.want != "" && w.Body.String() != c.want {
				t.Errorf("%d %q, want %d %q", w.Code, w.Body, c.code, c.want)
			}
			if seriesOf(m.turnedAway) != 1 || seriesOf(m.admissions) != 0 {
				t.Error("not counted as turned away")
			}
			if (w.Code == 405) != (w.Header().Get("Allow") == "POST") {
				t.Errorf("Allow %q", w.Header().Get("Allow"))
			}
		})
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// failing is a body that breaks off.
type failing struct{ err error }

func (f failing) Read(p []byte) (int, error) { return copy(p, "{"), f.err }

func TestPodsAcceptsACharset(t *testing.T) {
	h, _ := podsFor(snapshotOf(t, "nginx.yaml", role("nginx")), silent())
	w := post(h, strings.NewReader(review(podJSON(asksForNginx))), func(r *http.Request) {
		r.Header.Set("Content-Type", "Application/JSON; charset=utf-8")
		r.Header.Set("Content-Encoding", "identity")
	})
	if w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A body of the largest size is still a review.
func TestPodsReadsTheLargestBody(t *testing.T) {
	h, _ := podsFor(snapshotOf(t, "nginx.yaml", role("nginx")), silent())
	body := review(podJSON(asksForNginx))
	body += strings.Repeat(" ", maxBody-len(body))
	for name, reader := range map[string]io.Reader{"length given": strings.NewReader(body), "chunked": io.MultiReader(strings.NewReader(body))} {
		if w := post(h, reader); w.Code != 200 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestPodsGivesHugeBuffersBack(t *testing.T) {
	p := newPods(&Store{}, NewMetrics(), silent(), nil)
	huge := &exchange{body: make([]byte, maxKept+1)}
	p.release(huge)
	if x, _ := p.exchanges.Get().(*exchange); x == huge {
		t.Error("a buffer of a huge request was kept")
	}
}

func TestGuardRecovers(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	g, m := podsFor(nil, log)
	for _, value := range []any{"canary in a panic", error(nil)} {
		g.next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) })
		w := post(g, strings.NewReader("{}"))
		if w.Code != 500 || w.Body.String() != "internal error\n" {
			t.Errorf("%d %q", w.Code, w.Body)
		}
	}
	if n := valueOf(t, m.panics); n != 2 {
		t.Errorf("%v panics counted", n)
	}
	if strings.Contains(text.String(), "canary") || !strings.Contains(text.String(), "guard_test") && !strings.Contains(text.String(), "pods_test") {
		t.Errorf("log %s", text.String())
	}
	if !g.room.small.TryAcquire(maxBodies) {
		t.Error("room was not given back")
	}
}

func TestGuardHasRoomForSoManyBytes(t *testing.T) {
	h, _ := podsFor(snapshotOf(t, "nginx.yaml", role("nginx")), silent())
	small, large := review(podJSON(asksForNginx)), review(largePod(smallBody))
	wants := func(name, body string, code int) {
		t.Helper()
		w := post(h, strings.NewReader(body))
		if w.Code != code || (code == 503) != (w.Header().Get("Retry-After") == "1") {
			t.Errorf("%s: %d %v %.200s", name, w.Code, w.Header(), w.Body)
		}
	}
	if !h.room.large.TryAcquire(maxBodies) {
		t.Fatal("no room at the beginning")
	}
	wants("large, no room", large, 503)
	wants("small beside large ones", small, 200)
	h.room.large.Release(maxBodies)
	if !h.room.small.TryAcquire(maxBodies) {
		t.Fatal("room was not given back")
	}
	wants("small, no room", small, 503)
	wants("large beside small ones", large, 200)
	h.room.small.Release(maxBodies)
	wants("small again", small, 200)
}

func TestGuardClosesConnectionsAtTheEnd(t *testing.T) {
	h, _ := podsFor(snapshotOf(t, "nginx.yaml", role("nginx")), silent())
	h.draining.Store(true)
	w := post(h, strings.NewReader(review(podJSON(asksForNginx))))
	if w.Code != 200 || w.Header().Get("Connection") != "close" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestLogLinesAreBounded(t *testing.T) {
	var text bytes.Buffer
	h, _ := podsFor(snapshotOf(t, "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument), slog.New(slog.NewJSONHandler(&text, nil)))
	long := strings.Repeat("é", 100_000)
	body := strings.NewReplacer(`"705ab4f5"`, `"`+long+`"`, `"shop"`, `"`+long+`"`).Replace(review(podJSON(asksForNginx)))
	w := post(h, strings.NewReader(body))
	if !strings.Contains(w.Body.String(), `"uid":"`+long+`"`) {
		t.Error("the answer does not repeat the uid")
	}
	if text.Len() == 0 || text.Len() > 1000 || !utf8.Valid(text.Bytes()) || !strings.Contains(text.String(), "é…") {
		t.Errorf("%d bytes in the log", text.Len())
	}
}
