package certs

import (
	"crypto/x509"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// mustPair makes an authority that is valid for 90 days from then on.
func mustPair(tb testing.TB, name string, from time.Time) *pair {
	tb.Helper()
	p, err := newPair(name, from, 90*24*time.Hour)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// decideCase is a situation and what has to be done in it.
type decideCase struct {
	name   string
	at     time.Duration // after t0
	s      situation
	want   Action
	reason string
}

// decideCases are counted from t0, when the first of two authorities was made.
func decideCases(t *testing.T, t0 time.Time) []decideCase {
	const day = 24 * time.Hour
	a, b := mustPair(t, "a", t0), mustPair(t, "b", t0.Add(61*day))
	stranger := mustPair(t, "stranger", t0)

	good := func(x authorities) stored { return stored{authorities: x, exists: true} }
	broken := stored{exists: true, broken: "tls.crt and tls.key are missing"}
	heldA := &authorities{current: a}

	return []decideCase{
		{
			"first start", 0,
			situation{stored: stored{broken: "the Secret does not exist"}},
			Create, "the Secret does not exist",
		},
		{
			"first start, signs of others", 0,
			situation{stored: broken, elsewhere: true},
			Wait, "tls.crt and tls.key are missing; another replica may have the authority",
		},
		{
			"signs of others, who do nothing", 0,
			situation{stored: broken, elsewhere: true, brokenFor: restoreGrace},
			Create, "tls.crt and tls.key are missing",
		},
		{
			"lost, in memory", 0,
			situation{stored: broken, held: heldA, elsewhere: true},
			Restore, "tls.crt and tls.key are missing",
		},
		{
			"lost, expired in memory", 91 * day,
			situation{stored: broken, held: heldA},
			Create, "tls.crt and tls.key are missing",
		},
		{
			"lost, the next one is there", 0,
			situation{stored: stored{exists: true, broken: "x", authorities: authorities{next: a}}},
			Promote, "x",
		},
		{
			"valid", 0,
			situation{stored: good(authorities{current: a})},
			Keep, "the authority is valid",
		},
		{
			"just before two thirds", 60*day - 3*time.Hour,
			situation{stored: good(authorities{current: a})},
			Keep, "the authority is valid",
		},
		{
			"two thirds", 60 * day,
			situation{stored: good(authorities{current: a})},
			Stage, "two thirds of the authority's life have passed",
		},
		{
			"asked for", day,
			situation{stored: stored{exists: true, rotate: true, authorities: authorities{current: a}}},
			Stage, `asked for by the key "rotate"`,
		},
		{
			"asked for, one is under way", day,
			situation{stored: stored{exists: true, rotate: true, authorities: authorities{current: a, previous: []*x509.Certificate{b.cert}, until: t0.Add(2 * day)}}},
			Keep, "the previous authority is trusted until 2026-01-03T00:00:00Z",
		},
		{
			"expired", 90 * day,
			situation{stored: good(authorities{current: a})},
			Create, "tls.crt: expired at 2026-04-01T00:00:00Z",
		},
		{
			"expired everywhere", 90 * day,
			situation{stored: good(authorities{current: a}), held: heldA},
			Create, "tls.crt: expired at 2026-04-01T00:00:00Z",
		},
		{
			"expired, the next one is there", 90 * day,
			situation{stored: good(authorities{current: a, next: b})},
			Promote, "tls.crt: expired at 2026-04-01T00:00:00Z",
		},
		{
			"from the future", -day,
			situation{stored: good(authorities{current: a})},
			Create, "tls.crt: not valid before 2025-12-31T23:00:00Z",
		},
		{
			"staged, not carried", 61 * day,
			situation{stored: good(authorities{current: a, next: b}), nextCarriedFor: -1},
			Keep, "a caBundle does not carry the next authority yet",
		},
		{
			"staged, carried for too short", 61 * day,
			situation{stored: good(authorities{current: a, next: b}), nextCarriedFor: time.Minute},
			Keep, "the API servers may not all know the next authority yet",
		},
		{
			"staged, carried long enough", 61 * day,
			situation{stored: good(authorities{current: a, next: b}), nextCarriedFor: 2 * time.Minute},
			Promote, "every caBundle has carried the next authority for the rotation delay",
		},
		{
			"staged, from the future", 59 * day,
			situation{stored: good(authorities{current: a, next: b}), nextCarriedFor: time.Hour},
			Mend, "the next authority is not valid before 2026-03-02T23:00:00Z",
		},
		{
			"promoted, others learn", 62 * day,
			situation{stored: good(authorities{current: b, previous: []*x509.Certificate{a.cert}, until: t0.Add(63 * day)}), held: heldA, heldCarried: true},
			Keep, "the previous authority is trusted until 2026-03-05T00:00:00Z",
		},
		{
			"previous has served", 63 * day,
			situation{stored: good(authorities{current: b, previous: []*x509.Certificate{a.cert}, until: t0.Add(63 * day)})},
			Drop, "the last certificate that the previous authority signed has expired",
		},
		{
			"replaced", day,
			situation{stored: good(authorities{current: stranger}), held: heldA, heldCarried: true},
			Merge, "the Secret does not say that the authority in use is trusted",
		},
		{
			"replaced while away", day,
			situation{stored: good(authorities{current: stranger}), held: heldA, storedCarried: true},
			Keep, "the authority is valid",
		},
		{
			"replaced, and nothing here", day,
			situation{stored: good(authorities{current: stranger})},
			Keep, "the authority is valid",
		},
		{
			"untidy", day,
			situation{stored: stored{exists: true, untidy: "ca.crt", authorities: authorities{current: a}}},
			Mend, "ca.crt",
		},
	}
}

func TestDecide(t *testing.T) {
	t0 := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range decideCases(t, t0) {
		t.Run(test.name, func(t *testing.T) {
			s := test.s
			s.now, s.delay = t0.Add(test.at), 2*time.Minute
			got := decide(s)
			if got.Action != test.want || got.Reason != test.reason {
				t.Errorf("got %q, %q\nwant %q, %q", got.Action, got.Reason, test.want, test.reason)
			}
			if !got.writes() {
				return
			}
			// What is written is in order, whatever it was before, and needs no second
			// writing.
			fresh := mustPair(t, "fresh", s.now)
			wanted := apply(got.Action, s, fresh, time.Hour)
			var secret corev1.Secret
			wanted.write(&secret)
			after := s
			after.stored, after.held, after.nextCarriedFor = readSecret(&secret), wanted, -1
			if !after.stored.equal(wanted) {
				t.Error("what was written is read as something else")
			}
			if d := decide(after); d.writes() && d.Action != Stage {
				t.Errorf("after %q comes %q: %s", got.Action, d.Action, d.Reason)
			}
		})
	}
}

func TestMergeKeepsBothTrusted(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	mine, theirs, third := mustPair(t, "mine", now), mustPair(t, "theirs", now), mustPair(t, "third", now)
	for name, s := range map[string]situation{
		"untrusted replacement": {stored: stored{authorities: authorities{current: theirs}}},
		"trusted replacement":   {stored: stored{authorities: authorities{current: theirs}}, storedCarried: true},
		"rotation under way":    {stored: stored{authorities: authorities{current: theirs, next: third}}},
	} {
		s.now, s.held, s.heldCarried = now, &authorities{current: mine}, true
		got := apply(Merge, s, nil, time.Hour)
		if !got.trusts(mine.cert) || !got.trusts(theirs.cert) {
			t.Errorf("%s: not both are trusted", name)
		}
		if want := name == "untrusted replacement"; got.current.same(mine) != want {
			t.Errorf("%s: mine signs: %t", name, !want)
		}
		if s.stored.next != nil && !got.trusts(third.cert) {
			t.Errorf("%s: the next one is lost", name)
		}
	}
}
