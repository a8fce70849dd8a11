package certs

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Keys of the Secret; the package comment says what they hold.
const (
	KeyCert          = corev1.TLSCertKey
	KeyPrivateKey    = corev1.TLSPrivateKeyKey
	KeyNextCert      = "next.crt"
	KeyNextKey       = "next.key"
	KeyPrevious      = "previous.crt"
	KeyPreviousUntil = "previous-until"
	KeyBundle        = corev1.ServiceAccountRootCAKey
	KeyRotate        = "rotate"
)

// authorities is what the Secret says, read: who signs, who will, and who is
// still trusted. It is never changed after it was made.
type authorities struct {
	current  *pair
	next     *pair
	previous []*x509.Certificate
	until    time.Time // when previous is given up; set where previous is not empty
}

// trusted are all certificates that a caBundle has to carry.
func (a *authorities) trusted() []*x509.Certificate {
	var certs []*x509.Certificate
	if a.current != nil {
		certs = append(certs, a.current.cert)
	}
	if a.next != nil {
		certs = append(certs, a.next.cert)
	}
	return append(certs, a.previous...)
}

// trusts reports whether the certificate is among the trusted ones.
func (a *authorities) trusts(cert *x509.Certificate) bool {
	for _, c := range a.trusted() {
		if c.Equal(cert) {
			return true
		}
	}
	return false
}

// equal reports whether both say the same.
func (a *authorities) equal(b *authorities) bool {
	return a.current.same(b.current) && a.next.same(b.next) && a.until.Equal(b.until) &&
		bytes.Equal(writeBundle(a.previous), writeBundle(b.previous))
}

func (a *authorities) bundle() []byte { return writeBundle(a.trusted()) }

// stored is the Secret as found, together with what is wrong with it.
type stored struct {
	authorities
	exists bool
	// broken says why there is no current authority at all; "" where there is.
	broken string
	// untidy says what else in the Secret is not as it should be; "" for nothing.
	untidy string
	// rotate is true where a person asked for a rotation.
	rotate bool
}

// readSecret reads the Secret; nil stands for one that does not exist. It never
// fails: what cannot be read is described in the result.
func readSecret(secret *corev1.Secret) stored {
	if secret == nil {
		return stored{broken: "the Secret does not exist"}
	}
	s := stored{exists: true}
	data := secret.Data
	_, s.rotate = data[KeyRotate]
	untidy := func(format string, args ...any) {
		if s.untidy == "" {
			s.untidy = fmt.Sprintf(format, args...)
		}
	}

	current, err := parsePair(data[KeyCert], data[KeyPrivateKey])
	switch {
	case len(data[KeyCert]) == 0 && len(data[KeyPrivateKey]) == 0:
		s.broken = fmt.Sprintf("%s and %s are missing", KeyCert, KeyPrivateKey)
	case err != nil:
		s.broken = fmt.Sprintf("%s and %s: %v", KeyCert, KeyPrivateKey, err)
	default:
		s.current = current
	}

	if len(data[KeyNextCert]) > 0 || len(data[KeyNextKey]) > 0 {
		if s.next, err = parsePair(data[KeyNextCert], data[KeyNextKey]); err != nil {
			s.next = nil
			untidy("%s and %s: %v", KeyNextCert, KeyNextKey, err)
		}
	}
	if s.previous, err = readBundle(data[KeyPrevious]); err != nil {
		untidy("%s: %v", KeyPrevious, err)
	}
	if len(s.previous) > 0 {
		if s.until, err = time.Parse(time.RFC3339, string(data[KeyPreviousUntil])); err != nil {
			untidy("%s: %v", KeyPreviousUntil, err)
		}
	}
	if s.current != nil && !bytes.Equal(data[KeyBundle], s.bundle()) {
		untidy("%s is not made of the other certificates", KeyBundle)
	}
	return s
}

// write puts the authorities into the Secret's data. Other keys stay.
func (a *authorities) write(secret *corev1.Secret) {
	if secret.Data == nil {
		secret.Data = make(map[string][]byte)
	}
	data := secret.Data
	for _, key := range []string{KeyNextCert, KeyNextKey, KeyPrevious, KeyPreviousUntil} {
		delete(data, key)
	}
	data[KeyCert], data[KeyPrivateKey] = a.current.certPEM, a.current.keyPEM
	data[KeyBundle] = a.bundle()
	if a.next != nil {
		data[KeyNextCert], data[KeyNextKey] = a.next.certPEM, a.next.keyPEM
	}
	if len(a.previous) > 0 {
		data[KeyPrevious] = writeBundle(a.previous)
		data[KeyPreviousUntil] = []byte(a.until.UTC().Format(time.RFC3339))
	}
}
