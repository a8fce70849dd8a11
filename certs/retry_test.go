package certs

import (
	"testing"
	"time"
)

func TestRetryDoublesUpToALimit(t *testing.T) {
	now := time.Unix(0, 0)
	var r retry
	if r.wait(now) != 0 {
		t.Error("the first attempt waits")
	}
	var waits []time.Duration
	for range 12 {
		r.failed(now, 1)
		waits = append(waits, r.wait(now))
	}
	want := retryFirst
	for i, got := range waits {
		if got != want {
			t.Errorf("wait %d: %s, want %s", i, got, want)
		}
		want = min(2*want, retryMost)
	}
	r.failed(now, 0)
	if got := r.wait(now); got != retryMost/2 {
		t.Errorf("least spread: %s", got)
	}
	r.succeeded()
	if r.wait(now) != 0 {
		t.Error("waits after a success")
	}
}

// TestPaceAgainstAFight counts the writes against a controller that undoes each
// of them at once.
func TestPaceAgainstAFight(t *testing.T) {
	var p pace
	start := time.Unix(1000, 0)
	writes := 0
	for at := time.Duration(0); at < time.Hour; at += 100 * time.Millisecond {
		now := start.Add(at)
		if p.wait(now) == 0 {
			p.wrote(now)
			p.right() // seen, and then undone before the next look
			writes++
		}
	}
	// 3 free ones, 2+4+8+16+32 s apart, then one a minute.
	if writes < 60 || writes > 3+5+60 {
		t.Errorf("%d writes in an hour", writes)
	}
}

// TestPaceForgives is for somebody who resets the value every three minutes: each
// time it is healed at once.
func TestPaceForgives(t *testing.T) {
	var p pace
	now := time.Unix(1000, 0)
	for i := range 100 {
		if wait := p.wait(now); wait != 0 {
			t.Fatalf("reset %d: waits %s", i, wait)
		}
		p.wrote(now)
		p.right()
		now = now.Add(3 * time.Minute)
	}
}
