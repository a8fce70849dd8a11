package certs

import (
	"log/slog"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// reporter logs what recurs at a bounded rate: each text at most once a minute,
// with the number of times that it was passed over.
type reporter struct {
	log   *slog.Logger
	clock clock.PassiveClock

	mu   sync.Mutex
	last map[string]*repeated
}

type repeated struct {
	at     time.Time
	passed int
}

const (
	reportEvery = time.Minute
	reportKinds = 64 // texts remembered at most
)

func newReporter(log *slog.Logger, c clock.PassiveClock) *reporter {
	return &reporter{log: log, clock: c, last: make(map[string]*repeated)}
}

// warn logs the message. key says what counts as the same; it must come from a
// small set, so details that vary belong into args.
func (r *reporter) warn(key, message string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	seen, ok := r.last[key]
	switch {
	case !ok:
		if len(r.last) >= reportKinds {
			clear(r.last)
		}
		seen = &repeated{}
		r.last[key] = seen
	case now.Sub(seen.at) < reportEvery && !now.Before(seen.at):
		seen.passed++
		return
	}
	if seen.passed > 0 {
		args = append(args, "passedOver", seen.passed)
	}
	seen.at, seen.passed = now, 0
	r.log.Warn(message, args...)
}
