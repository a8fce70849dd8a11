package certs

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// pair is a certificate authority: its certificate and key, as PEM and parsed.
// It is never changed after it was made.
type pair struct {
	cert    *x509.Certificate
	signer  crypto.Signer
	certPEM []byte
	keyPEM  []byte
}

// newPair makes an authority that is valid from shortly before now.
func newPair(commonName string, now time.Time, validity time.Duration) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: key: %w", err)
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// The serial number keeps the subjects of two authorities apart: a verifier
		// looks issuers up by subject.
		Subject:               pkix.Name{CommonName: fmt.Sprintf("%s %x", commonName, serial.Bytes()[:4])},
		NotBefore:             now.Add(-backdate(validity)),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: sign: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: key: %w", err)
	}
	return parsePair(
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	)
}

// backdate is how far before now a new authority begins to be valid, so that a
// verifier whose clock is behind accepts it too.
func backdate(validity time.Duration) time.Duration {
	return min(time.Hour, validity/10)
}

// newSerial is a positive random number of 127 bits, with the highest one set.
func newSerial() (*big.Int, error) {
	limit := new(big.Int).Lsh(big.NewInt(1), 126)
	serial, err := rand.Int(rand.Reader, limit)
	if err != nil {
		return nil, fmt.Errorf("serial number: %w", err)
	}
	return serial.Add(serial, limit), nil
}

// parsePair reads an authority, and errs where the key does not belong to the
// certificate, or the certificate may not sign others.
func parsePair(certPEM, keyPEM []byte) (*pair, error) {
	both, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(both.Certificate[0])
	if err != nil {
		return nil, err
	}
	signer, ok := both.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, errors.New("private key cannot sign")
	}
	if !cert.BasicConstraintsValid || !cert.IsCA {
		return nil, errors.New("certificate is not one of an authority")
	}
	if cert.KeyUsage != 0 && cert.KeyUsage&x509.KeyUsageCertSign == 0 {
		return nil, errors.New("certificate may not sign others (key usage)")
	}
	return &pair{cert: cert, signer: signer, certPEM: certPEM, keyPEM: keyPEM}, nil
}

// unusable says why the authority cannot sign at that time; "" where it can.
func (p *pair) unusable(now time.Time) string {
	switch {
	case p == nil:
		return "missing"
	case now.Before(p.cert.NotBefore):
		return "not valid before " + p.cert.NotBefore.UTC().Format(time.RFC3339)
	case !now.Before(p.cert.NotAfter):
		return "expired at " + p.cert.NotAfter.UTC().Format(time.RFC3339)
	}
	return ""
}

// due is when two thirds of the authority's life have passed.
func (p *pair) due() time.Time {
	return p.cert.NotAfter.Add(-p.cert.NotAfter.Sub(p.cert.NotBefore) / 3)
}

// same reports whether both are the same authority.
func (p *pair) same(other *pair) bool {
	if p == nil || other == nil {
		return p == other
	}
	return bytes.Equal(p.cert.Raw, other.cert.Raw) && bytes.Equal(p.keyPEM, other.keyPEM)
}

// sign makes a serving certificate with a key of its own, which never leaves
// this process.
func (p *pair) sign(dnsNames []string, ips []net.IP, now time.Time, validity time.Duration) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("serving certificate: key: %w", err)
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	notAfter := now.Add(validity)
	if notAfter.After(p.cert.NotAfter) {
		notAfter = p.cert.NotAfter
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// As old as its authority: a clock that runs ahead here does not make the
		// certificate start in the verifier's future.
		NotBefore:   p.cert.NotBefore,
		NotAfter:    notAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    dnsNames,
		IPAddresses: ips,
	}
	if len(dnsNames) > 0 && len(dnsNames[0]) <= 64 {
		template.Subject.CommonName = dnsNames[0]
	}
	der, err := x509.CreateCertificate(rand.Reader, template, p.cert, key.Public(), p.signer)
	if err != nil {
		return nil, fmt.Errorf("serving certificate: sign: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("serving certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}
