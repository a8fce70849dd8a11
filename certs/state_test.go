package certs

import (
	"bytes"
	"crypto/x509"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestReadSecretSaysWhatIsWrong(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a, b, c := mustPair(t, "a", now), mustPair(t, "b", now), mustPair(t, "c", now)
	leaf, err := a.sign([]string{"x"}, nil, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	leafPEM := writeBundle([]*x509.Certificate{leaf.Leaf})
	whole := &authorities{current: a, next: b, previous: []*x509.Certificate{c.cert}, until: now.Add(time.Hour)}

	for _, test := range []struct {
		name           string
		change         func(d map[string][]byte)
		broken, untidy string // beginnings
	}{
		{"whole", func(map[string][]byte) {}, "", ""},
		{"other keys", func(d map[string][]byte) { d["note"] = []byte("x") }, "", ""},
		{"empty", func(d map[string][]byte) { clear(d) }, "tls.crt and tls.key are missing", ""},
		{"no certificate", func(d map[string][]byte) { delete(d, KeyCert) }, "tls.crt and tls.key: tls: failed to find any PEM data in certificate input", ""},
		{"no key", func(d map[string][]byte) { delete(d, KeyPrivateKey) }, "tls.crt and tls.key: tls: failed to find any PEM data in key input", ""},
		{"key of another", func(d map[string][]byte) { d[KeyPrivateKey] = b.keyPEM }, "tls.crt and tls.key: tls: private key does not match public key", ""},
		{"not an authority", func(d map[string][]byte) { d[KeyCert] = leafPEM }, "tls.crt and tls.key: tls: private key does not match", ""},
		{"next damaged", func(d map[string][]byte) { d[KeyNextKey] = []byte("x") }, "", "next.crt and next.key: "},
		{"previous damaged", func(d map[string][]byte) { d[KeyPrevious] = []byte("x") }, "", "previous.crt: bundle: certificate 1: not PEM"},
		{"time damaged", func(d map[string][]byte) { d[KeyPreviousUntil] = []byte("soon") }, "", "previous-until: parsing time"},
		{"bundle damaged", func(d map[string][]byte) { d[KeyBundle] = a.certPEM }, "", "ca.crt is not made of the other certificates"},
	} {
		var secret corev1.Secret
		whole.write(&secret)
		test.change(secret.Data)
		got := readSecret(&secret)
		if !hasStart(got.broken, test.broken) {
			t.Errorf("%s: broken: %q, want %q", test.name, got.broken, test.broken)
		}
		if test.broken == "" && !hasStart(got.untidy, test.untidy) {
			t.Errorf("%s: untidy: %q, want %q", test.name, got.untidy, test.untidy)
		}
	}
	if got := readSecret(nil); got.exists || got.broken != "the Secret does not exist" {
		t.Errorf("no Secret: %+v", got)
	}
}

// hasStart is [strings.HasPrefix], and true for "" and "" only.
func hasStart(s, start string) bool {
	return strings.HasPrefix(s, start) && (s == "") == (start == "")
}

func TestParsePairRefusesWhatMayNotSign(t *testing.T) {
	now := time.Now()
	self, err := NewSelfSigned([]string{"x"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := self.authority.sign([]string{"x"}, nil, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(leaf.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parsePair(pemOf("CERTIFICATE", leaf.Certificate[0]), pemOf("PRIVATE KEY", key))
	if err == nil || err.Error() != "certificate is not one of an authority" {
		t.Errorf("got %v", err)
	}
}

func TestWriteKeepsOtherKeys(t *testing.T) {
	now := time.Now()
	a, b := mustPair(t, "a", now), mustPair(t, "b", now)
	secret := corev1.Secret{Data: map[string][]byte{"note": []byte("x"), KeyRotate: nil}}
	(&authorities{current: a, next: b, previous: []*x509.Certificate{b.cert}, until: now}).write(&secret)
	(&authorities{current: b}).write(&secret)
	want := map[string][]byte{
		"note": []byte("x"), KeyRotate: nil,
		KeyCert: b.certPEM, KeyPrivateKey: b.keyPEM, KeyBundle: b.certPEM,
	}
	if !maps.EqualFunc(secret.Data, want, bytes.Equal) {
		t.Errorf("keys %v", keys(secret.Data))
	}
}

func TestBundleDoesNotDependOnParts(t *testing.T) {
	now := time.Now()
	a, b := mustPair(t, "a", now), mustPair(t, "b", now)
	staged := authorities{current: a, next: b}
	promoted := authorities{current: b, previous: []*x509.Certificate{a.cert, a.cert}}
	if !bytes.Equal(staged.bundle(), promoted.bundle()) {
		t.Error("a promotion changes the bundle")
	}
	certs, err := readBundle(staged.bundle())
	if err != nil || len(certs) != 2 {
		t.Errorf("%d certificates, %v", len(certs), err)
	}
}

func FuzzReadSecret(f *testing.F) {
	p := mustPair(f, "a", time.Now())
	f.Add(p.certPEM, p.keyPEM, p.certPEM, []byte("2026-01-01T00:00:00Z"))
	f.Add([]byte("x"), []byte(nil), []byte("-----BEGIN CERTIFICATE-----"), []byte("soon"))
	f.Fuzz(func(t *testing.T, cert, key, previous, until []byte) {
		secret := &corev1.Secret{Data: map[string][]byte{
			KeyCert: cert, KeyPrivateKey: key, KeyNextCert: cert, KeyNextKey: key,
			KeyPrevious: previous, KeyPreviousUntil: until,
		}}
		got := readSecret(secret)
		if (got.current == nil) != (got.broken != "") {
			t.Errorf("current %v, broken %q", got.current, got.broken)
		}
		if got.current == nil {
			return
		}
		// What is taken over can be written, and is then in order.
		if got.until.IsZero() {
			got.until = time.Unix(0, 0)
		}
		if got.until.Year() > 9999 || got.until.Year() < 0 {
			return
		}
		var again corev1.Secret
		got.write(&again)
		if after := readSecret(&again); after.broken != "" || after.untidy != "" {
			t.Errorf("written again: %q, %q", after.broken, after.untidy)
		}
	})
}
