package webhook

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"colocate.dev/colocate/injector"
)

// linesOf returns the line as it is written without slog, and by it.
func linesOf(t *testing.T, l *line) (own, slogs string) {
	t.Helper()
	var out bytes.Buffer
	h := slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})
	if err := h.Handle(t.Context(), l.record()); err != nil {
		t.Fatal(err)
	}
	return string(l.appendJSON(nil)), out.String()
}

func TestLineIsThatOfSlog(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.FixedZone("", 3600))
	for _, l := range []line{
		{
			request:  &injector.Request{UID: []byte("705ab4f5"), Namespace: []byte("shop"), Name: []byte("web-0"), DryRun: true},
			decision: &injector.Decision{Role: "web", Outcome: injector.Injected, Reason: injector.ReasonInjected, Warnings: []string{"a", "b"}},
			end:      at, took: 1234 * time.Microsecond,
		},
		{
			request:  &injector.Request{UID: []byte(strings.Repeat("ü", 300)), Name: []byte(strings.Repeat("n", 253))},
			decision: &injector.Decision{Role: strings.Repeat("r", 100), Reason: injector.ReasonNotAsked},
			end:      at.UTC().Truncate(time.Second),
		},
		{request: &injector.Request{}, decision: &injector.Decision{Outcome: injector.Refused}, end: time.Unix(0, 0)},
	} {
		if own, slogs := linesOf(t, &l); own != slogs {
			t.Errorf("own line:  %sslog's line: %s", own, slogs)
		}
	}
}

// FuzzLine holds the values against slog's for whatever somebody sends as names;
// it is one line, and both are read alike.
func FuzzLine(f *testing.F) {
	f.Add([]byte("shop"), []byte("web-\x00\"\\\n\u2028<&>"), []byte("u\xff"), "r\tole", int64(5))
	f.Fuzz(func(t *testing.T, namespace, name, uid []byte, role string, took int64) {
		l := line{
			request:  &injector.Request{Namespace: namespace, Name: name, UID: uid},
			decision: &injector.Decision{Role: role},
			end:      time.Unix(took%1e10, took&0xffff), took: time.Duration(took),
		}
		own, slogs := linesOf(t, &l)
		if strings.Count(own, "\n") != 1 || !strings.HasSuffix(own, "\n") {
			t.Errorf("not one line: %q", own)
		}
		var got, want map[string]any
		if err := json.Unmarshal([]byte(own), &got); err != nil {
			t.Fatalf("%q: %v", own, err)
		}
		if err := json.Unmarshal([]byte(slogs), &want); err != nil {
			t.Fatalf("%q: %v", slogs, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
