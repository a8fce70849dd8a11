package certs

import (
	"crypto/x509"
	"fmt"
	"time"
)

// Action is what has to be done with the Secret.
type Action string

// The actions. All but Keep and Wait write the Secret.
const (
	Keep    Action = "keep"    // nothing to do
	Wait    Action = "wait"    // nothing yet: another replica may put it right
	Create  Action = "create"  // a new authority, at once
	Restore Action = "restore" // the authorities in memory, as they were
	Merge   Action = "merge"   // the authority in use stays trusted, or stays and a foreign one becomes the next
	Mend    Action = "mend"    // the parts that are damaged
	Stage   Action = "stage"   // a next authority
	Promote Action = "promote" // the next authority signs
	Drop    Action = "drop"    // the previous authorities are no longer trusted
)

// decision is an action and, in words for the log, why.
type decision struct {
	Action Action
	Reason string
}

// writes reports whether the action changes the Secret.
func (d decision) writes() bool { return d.Action != Keep && d.Action != Wait }

// situation is all that a decision depends on.
type situation struct {
	now    time.Time
	stored stored
	// held is what this replica last read in good order; nil where there is
	// nothing yet.
	held *authorities

	// heldCarried: all managed caBundles carry the held certificate, as seen by
	// this replica. storedCarried: they have carried the Secret's current
	// certificate for at least the rotation delay.
	heldCarried, storedCarried bool
	// nextCarriedFor is for how long all of them have carried the next
	// certificate without interruption; negative where they do not.
	nextCarriedFor time.Duration
	// elsewhere is true where a caBundle carries a valid authority: then a replica
	// that has it in memory may be running.
	elsewhere bool
	// brokenFor is for how long this replica has seen the Secret without a usable
	// authority.
	brokenFor time.Duration

	delay time.Duration // the rotation delay
}

// restoreGrace is how long a replica without anything in memory leaves it to
// others to put a lost Secret back, where there is a sign of others.
const restoreGrace = 5 * time.Second

// decide says what to do with the Secret. It is pure: the same situation gives
// the same decision in every replica.
func decide(s situation) decision {
	if fault := s.stored.fault(s.now); fault != "" {
		return decideBroken(s, fault)
	}
	if s.foreign() {
		return decision{Merge, "the Secret does not say that the authority in use is trusted"}
	}
	if s.stored.untidy != "" {
		return decision{Mend, s.stored.untidy}
	}
	if next := s.stored.next; next != nil {
		return decideStaged(s, next)
	}
	if len(s.stored.previous) > 0 {
		if s.now.Before(s.stored.until) {
			return decision{Keep, "the previous authority is trusted until " + s.stored.until.UTC().Format(time.RFC3339)}
		}
		return decision{Drop, "the last certificate that the previous authority signed has expired"}
	}
	if s.stored.rotate {
		return decision{Stage, fmt.Sprintf("asked for by the key %q", KeyRotate)}
	}
	if due := s.stored.current.due(); !s.now.Before(due) {
		return decision{Stage, "two thirds of the authority's life have passed"}
	}
	return decision{Keep, "the authority is valid"}
}

// decideBroken is for a Secret without an authority that can sign.
func decideBroken(s situation, fault string) decision {
	switch {
	case s.held != nil && s.held.current.unusable(s.now) == "":
		return decision{Restore, fault}
	case s.elsewhere && s.brokenFor < restoreGrace:
		return decision{Wait, fault + "; another replica may have the authority"}
	case s.stored.next != nil && s.stored.next.unusable(s.now) == "":
		return decision{Promote, fault}
	}
	return decision{Create, fault}
}

// decideStaged is for a rotation between its first and its second step.
func decideStaged(s situation, next *pair) decision {
	if fault := next.unusable(s.now); fault != "" {
		return decision{Mend, "the next authority is " + fault}
	}
	switch {
	case s.nextCarriedFor < 0:
		return decision{Keep, "a caBundle does not carry the next authority yet"}
	case s.nextCarriedFor < s.delay:
		return decision{Keep, "the API servers may not all know the next authority yet"}
	}
	return decision{Promote, "every caBundle has carried the next authority for the rotation delay"}
}

// foreign reports whether the Secret leaves out the authority that this replica
// signs with and that all caBundles carry: somebody replaced the Secret, or a
// replica that lagged behind put back an old one. To go by it would take the
// trust from certificates that are being served.
func (s situation) foreign() bool {
	return s.held != nil &&
		s.held.current.unusable(s.now) == "" &&
		!s.stored.trusts(s.held.current.cert) &&
		s.heldCarried
}

// fault says why the Secret's current authority cannot sign; "" where it can.
func (s *stored) fault(now time.Time) string {
	if s.broken != "" {
		return s.broken
	}
	if why := s.current.unusable(now); why != "" {
		return KeyCert + ": " + why
	}
	return ""
}

// apply gives the authorities that the Secret has to hold after the decision.
// fresh is the new authority for Create and Stage; retention is for how long an
// authority that no longer signs stays trusted.
func apply(action Action, s situation, fresh *pair, retention time.Duration) *authorities {
	was := s.stored.authorities
	until := s.now.Add(retention).Truncate(time.Second) // as it is written
	switch action {
	case Create:
		return &authorities{current: fresh}
	case Stage:
		was.next = fresh
	case Restore:
		was = *s.held
	case Mend:
		// Memory has the damaged parts too, if it is of the same rotation.
		if s.held != nil && s.held.current.same(was.current) {
			was = *s.held
		}
		if was.next != nil && was.next.unusable(s.now) != "" {
			was.next = nil
		}
	case Merge:
		if was.next == nil && !s.storedCarried {
			was.next, was.current = was.current, s.held.current
			was.previous = join(was.previous, s.held.previous...)
		} else {
			// The Secret's authority is trusted everywhere, or a rotation is under way:
			// it is enough that the one in use stays trusted.
			was.previous = join(was.previous, s.held.current.cert)
			was.until = until
		}
	case Promote:
		if was.current != nil {
			was.previous = join(was.previous, was.current.cert)
		}
		was.current, was.next = was.next, nil
		was.until = until
	case Drop:
		was.previous = nil
	}
	was.previous = living(was.previous, s.now)
	switch {
	case len(was.previous) == 0:
		was.until = time.Time{}
	case was.until.IsZero():
		was.until = until
	}
	return &was
}

// join adds certificates to a list without changing the list itself.
func join(list []*x509.Certificate, more ...*x509.Certificate) []*x509.Certificate {
	return append(list[:len(list):len(list)], more...)
}

// living leaves out the certificates that have expired.
func living(list []*x509.Certificate, now time.Time) []*x509.Certificate {
	var out []*x509.Certificate
	for _, cert := range list {
		if now.Before(cert.NotAfter) {
			out = append(out, cert)
		}
	}
	return out
}
