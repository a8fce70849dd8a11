package certs

import "time"

// retry spaces out attempts at something that fails: 50 ms, then twice as long
// each time, up to 5 s. The zero value allows an attempt at once.
type retry struct {
	failures int
	next     time.Time
}

const (
	retryFirst = 50 * time.Millisecond
	retryMost  = 5 * time.Second
)

// wait is how long to wait before the next attempt; zero for now.
func (r *retry) wait(now time.Time) time.Duration {
	return max(0, r.next.Sub(now))
}

// failed notes a failure. spread, from 0 to 1, keeps replicas that failed
// together from trying again together.
func (r *retry) failed(now time.Time, spread float64) {
	delay := min(retryFirst<<min(r.failures, 10), retryMost)
	r.failures++
	r.next = now.Add(delay/2 + time.Duration(spread*float64(delay)/2))
}

func (r *retry) succeeded() { *r = retry{} }

// pace says when a caBundle that somebody else changed may be written again.
// The first writes are free, so that an accident is healed at once; against a
// controller that keeps undoing them the distance doubles up to a minute. A
// value that lasted for half a minute was no fight, and starts afresh.
type pace struct {
	strikes int
	last    time.Time // of our last write
	wrong   time.Time // since when the value has been wrong; zero while it is right
}

const (
	paceFree  = 3
	paceFirst = 2 * time.Second
	paceMost  = time.Minute
	paceCalm  = 30 * time.Second
)

// right notes that the value is as it should be.
func (p *pace) right() { p.wrong = time.Time{} }

// wait notes that the value is wrong, and says how long to wait before it is
// written; zero for now.
func (p *pace) wait(now time.Time) time.Duration {
	if p.wrong.IsZero() {
		p.wrong = now
		if now.Sub(p.last) >= paceCalm {
			p.strikes = 0
		}
	}
	if p.strikes < paceFree {
		return 0
	}
	delay := min(paceFirst<<min(p.strikes-paceFree, 10), paceMost)
	return max(0, p.last.Add(delay).Sub(now))
}

// wrote notes a write that changed the value.
func (p *pace) wrote(now time.Time) {
	p.strikes++
	p.last = now
	p.wrong = time.Time{}
}
