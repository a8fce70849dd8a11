package certs

import (
	"crypto/x509"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestCarriedSince(t *testing.T) {
	t0 := time.Unix(1000, 0)
	at := func(seconds int) time.Time { return t0.Add(time.Duration(seconds) * time.Second) }
	a, b := mustPair(t, "a", t0), mustPair(t, "b", t0)
	one, both := a.certPEM, writeBundle([]*x509.Certificate{a.cert, b.cert})
	config := func(version string, bundles ...[]byte) *configuration {
		c := &configuration{version: version}
		for i, bundle := range bundles {
			c.entries = append(c.entries, entry{index: i, caBundle: bundle})
		}
		return c
	}
	v := newView(1)
	expect := func(what string, p *pair, second int, ok bool) {
		t.Helper()
		since, got := v.carriedSince(fingerprintOf(p.cert))
		if got != ok || ok && !since.Equal(at(second)) {
			t.Errorf("%s: carried %t since %d s, want %t since %d s", what, got, int(since.Sub(t0).Seconds()), ok, second)
		}
	}
	expect("not read", a, 0, false)
	v.seeConfiguration(0, config("1", one, both), at(1), read)
	expect("in both entries", a, 1, true)
	expect("in one entry", b, 0, false)
	v.seeConfiguration(0, config("2", both, both), at(2), written)
	expect("goes on", a, 1, true)
	expect("added", b, 2, true)
	v.seeConfiguration(0, config("1", one, both), at(3), announced)
	expect("late event", b, 2, true)
	v.seeConfiguration(0, config("3", one, one), at(4), announced)
	expect("taken away", b, 0, false)
	v.seeConfiguration(0, config("4", both, both), at(5), announced)
	expect("back", b, 5, true)
	expect("never left", a, 1, true)
	v.lose(0)
	expect("not watched", b, 0, false)
	v.seeConfiguration(0, config("4", both, both), at(6), read)
	expect("unchanged meanwhile", b, 5, true)
	v.lose(0)
	v.seeConfiguration(0, config("6", both, both), at(7), read)
	expect("changed meanwhile", b, 7, true)
	v.seeConfiguration(0, config("7", append([]byte("x\n"), both...)), at(8), announced)
	expect("text before the first block", b, 7, true)
	v.seeConfiguration(0, config("8", append(both[:len(both):len(both)], "x"...)), at(9), announced)
	expect("text after the last block", b, 7, true)
	v.seeConfiguration(0, config("9", []byte("x")), at(9), announced)
	expect("unreadable", b, 0, false)
	v.seeConfiguration(0, nil, at(10), announced)
	expect("does not exist", b, 10, true)
	v.seeConfiguration(0, nil, at(11), read)
	expect("still does not", b, 10, true)
}

func TestSeeSecretPassesOverLateEvents(t *testing.T) {
	v := newView(0)
	secret := func(version string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	}
	for _, step := range []struct {
		see  string
		by   how
		want string
	}{
		{"10", read, "10"},
		{"12", written, "12"},
		{"11", announced, "12"},
		{"13", announced, "13"},
		{"9", read, "9"}, // the cluster was restored from a backup
		{"", announced, ""},
		{"14", announced, "14"},
	} {
		if step.see == "" {
			v.seeSecret(nil, step.by)
		} else {
			v.seeSecret(secret(step.see), step.by)
		}
		got := ""
		if s, known := v.readSecret(); s != nil && known {
			got = s.ResourceVersion
		}
		if got != step.want {
			t.Errorf("after %q: %q, want %q", step.see, got, step.want)
		}
	}
}
