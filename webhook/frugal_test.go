package webhook

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"
)

func TestFrugal(t *testing.T) {
	padded := strings.Repeat(" ", maxBody-2)
	cases := map[string]struct {
		body string
		code int
		text string
	}{
		"review":                 {review(podJSON("")), http.StatusOK, ""},
		"white space around":     {"\n\t {} \r\n", http.StatusOK, ""},
		"as large as can be":     {"{}" + padded, http.StatusOK, ""},
		"too large":              {"{}" + padded + " ", http.StatusRequestEntityTooLarge, tooLarge},
		"YAML":                   {"- {a: b}\n- {a: b}\n", http.StatusBadRequest, "the body is not one JSON object"},
		"YAML flow":              {"{a: b}", http.StatusBadRequest, "the body is not one JSON object"},
		"list":                   {"[0,0]", http.StatusBadRequest, "the body is not one JSON object"},
		"two documents":          {"{}{}", http.StatusBadRequest, "the body is not one JSON object"},
		"white space only":       {"  \n", http.StatusBadRequest, "the body is not one JSON object"},
		"nothing":                {"", http.StatusBadRequest, "the request has no body"},
		"most values":            {`{"a":[` + strings.Repeat("0,", maxValues-2) + "0]}", http.StatusOK, ""},
		"one value more":         {`{"a":[` + strings.Repeat("0,", maxValues-1) + "0]}", http.StatusRequestEntityTooLarge, "the body has more than 500000 values"},
		"commas within a string": {`{"a":"\"` + strings.Repeat(",{[", maxValues) + `\\"}`, http.StatusOK, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := "not called"
			next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.ContentLength != int64(len(body)) || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("length %d of %d, type %q: %v", r.ContentLength, len(body), r.Header.Get("Content-Type"), err)
				}
				got = string(body)
			})
			w := post(&frugal{next: next, metrics: NewMetrics(), large: semaphore.NewWeighted(1)}, strings.NewReader(c.body), func(r *http.Request) {
				r.ContentLength = -1
				r.Header.Set("Content-Type", "Application/JSON; charset=utf-8")
			})
			if text := strings.TrimSpace(w.Body.String()); w.Code != c.code || text != c.text {
				t.Errorf("%d %s", w.Code, text)
			}
			if want := map[bool]string{true: c.body, false: "not called"}[c.code == http.StatusOK]; got != want {
				t.Errorf("passed on %d bytes, want %d", len(got), len(want))
			}
		})
	}
}

// While one large review is decoded, another is told to come again, and small
// ones go on.
func TestFrugalTakesOneLargeReviewAtATime(t *testing.T) {
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	f := &frugal{next: next, metrics: NewMetrics(), large: semaphore.NewWeighted(1)}
	large := "{}" + strings.Repeat(" ", smallBody)
	if w := post(f, strings.NewReader(large)); w.Code != http.StatusOK {
		t.Fatalf("alone: %d", w.Code)
	}
	if !f.large.TryAcquire(1) {
		t.Fatal("the first has not gone")
	}
	if w := post(f, strings.NewReader(large)); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
		t.Errorf("a second large one: %d", w.Code)
	}
	if w := post(f, strings.NewReader("{}")); w.Code != http.StatusOK {
		t.Errorf("a small one: %d", w.Code)
	}
}
