package certs

import (
	"bytes"
	"testing"
	"time"
)

// TestTimeJumps sets the node's clock, while the API server's goes on.
func TestTimeJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{
		"ten days ahead":  240 * time.Hour,
		"ten years ahead": 10 * 365 * 24 * time.Hour,
		"ten days back":   -240 * time.Hour,
		"ten years back":  -10 * 365 * 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			var wrong time.Duration // what one replica believes in addition, until it hears from the API server
			s := newSimulation(t, 1, 3, nil)
			s.settle()
			odd := s.replicas[0]
			right := s.clock.Now
			odd.options.Time = func() time.Time { return right().Add(wrong) }
			was := s.secret().Data[KeyCert]

			wrong = jump
			s.down.Store(true) // so that nobody tells it
			odd.step(t.Context())
			s.down.Store(false)
			s.check()
			wrong = 0
			for range 30 {
				s.tick(time.Hour)
			}
			if !bytes.Equal(s.secret().Data[KeyCert], was) || s.written("update secret") != 0 {
				t.Error("the authority was replaced")
			}
			if left := odd.Expiry().Sub(right()); left < 8*time.Hour-time.Hour || left > DefaultLeafValidity {
				t.Errorf("the certificate ends in %s", left)
			}
		})
	}
}

// TestExpiredAuthorityIsReplacedAtOnce is for a cluster that was switched off for
// too long.
func TestExpiredAuthorityIsReplacedAtOnce(t *testing.T) {
	s := newSimulation(t, 1, 3, nil)
	s.settle()
	s.clock.Step(2 * DefaultCAValidity)
	s.history = make(map[string][]publication) // what the API servers knew has expired
	for i := range s.replicas {
		s.replicas[i] = s.newReplica()
	}
	s.lag = 0
	for range 20 {
		s.clock.Step(500 * time.Millisecond)
		for _, r := range s.replicas {
			s.sync(r)
			r.step(t.Context())
		}
	}
	var all []*Authority
	for _, r := range s.replicas {
		all = append(all, r.Authority)
	}
	if err := s.trusted(all...); err != nil {
		t.Error(err)
	}
	if n := s.written("update secret"); n != 1 {
		t.Errorf("Secret updated %d times", n)
	}
}
