package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

// Source supplies the certificate that a server presents. All methods may be
// called at any time, from any goroutine, also before Start.
type Source interface {
	// GetCertificate fits [tls.Config]. It never blocks, and errs only while no
	// certificate has been loaded yet.
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)

	// Start does the background work until ctx is done. It returns nil then, and
	// does not return before: whatever fails is tried again.
	Start(ctx context.Context) error

	// NeedLeaderElection is false: every replica has a certificate of its own.
	NeedLeaderElection() bool

	// Ready is nil once a certificate is loaded, and says why not before.
	Ready() error

	// Expiry is the end of the life of the certificate being served, in UTC; zero
	// while there is none.
	Expiry() time.Time

	// Bundle is PEM: certificates by which a client can verify the one being
	// served. It is nil while there is none.
	Bundle() []byte
}

// ErrNotLoaded is what the errors of GetCertificate and Ready are, while no
// certificate has been loaded.
var ErrNotLoaded = errors.New("no serving certificate is loaded yet")

// served is what a source serves at a moment: swapped as a whole.
type served struct {
	certificate *tls.Certificate // Leaf is set
	bundle      []byte
}

func (s *served) get() (*tls.Certificate, error) {
	if s == nil {
		return nil, ErrNotLoaded
	}
	return s.certificate, nil
}

func (s *served) ready() error {
	if s == nil {
		return ErrNotLoaded
	}
	return nil
}

func (s *served) expiry() time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.certificate.Leaf.NotAfter.UTC()
}

func (s *served) pem() []byte {
	if s == nil {
		return nil
	}
	return s.bundle
}
