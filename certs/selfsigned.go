package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// SelfSigned is the [Source] for serving without a cluster: an authority that
// lives as long as the process, and is good for ten years.
type SelfSigned struct {
	authority *pair
	dnsNames  []string
	ips       []net.IP
	clock     clock.Clock
	serving   atomic.Pointer[served]
}

var _ Source = (*SelfSigned)(nil)

const selfSignedValidity = 10 * DefaultCAValidity

// NewSelfSigned makes an authority and signs a certificate for the names and
// addresses, of which there must be one at least. Bundle is the authority's
// certificate, for clients to trust.
func NewSelfSigned(dnsNames []string, ips []net.IP) (*SelfSigned, error) {
	return newSelfSigned(dnsNames, ips, clock.RealClock{})
}

func newSelfSigned(dnsNames []string, ips []net.IP, c clock.Clock) (*SelfSigned, error) {
	if len(dnsNames) == 0 && len(ips) == 0 {
		return nil, errors.New("certificates: no name to serve under: give a DNS name or an IP address")
	}
	authority, err := newPair(DefaultCommonName, c.Now(), selfSignedValidity)
	if err != nil {
		return nil, err
	}
	s := &SelfSigned{authority: authority, dnsNames: dnsNames, ips: ips, clock: c}
	if err := s.renew(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *SelfSigned) renew() error {
	certificate, err := s.authority.sign(s.dnsNames, s.ips, s.clock.Now(), DefaultLeafValidity)
	if err != nil {
		return err
	}
	s.serving.Store(&served{certificate: certificate, bundle: s.authority.certPEM})
	return nil
}

// Start is [Source.Start].
func (s *SelfSigned) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		sleep(ctx, s.clock, stepMost)
		if s.Expiry().Sub(s.clock.Now()) > DefaultLeafValidity/3 {
			continue
		}
		// Signing fails only where there is no randomness; what is served stays, and
		// the next round tries again.
		_ = s.renew()
	}
	return nil
}

// GetCertificate is [Source.GetCertificate].
func (s *SelfSigned) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return s.serving.Load().get()
}

// NeedLeaderElection is [Source.NeedLeaderElection].
func (s *SelfSigned) NeedLeaderElection() bool { return false }

// Ready is [Source.Ready].
func (s *SelfSigned) Ready() error { return s.serving.Load().ready() }

// Expiry is [Source.Expiry].
func (s *SelfSigned) Expiry() time.Time { return s.serving.Load().expiry() }

// Bundle is [Source.Bundle]: the certificate of the authority.
func (s *SelfSigned) Bundle() []byte { return s.serving.Load().pem() }
