// Package pki makes the certificates of the control planes that the suites start.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// validity is far longer than any suite runs.
const validity = 30 * 24 * time.Hour

// Authority signs the serving certificates of one control plane.
type Authority struct {
	// PEM is the authority's certificate, KeyPEM its key.
	PEM, KeyPEM []byte

	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority makes an authority of that common name.
func NewAuthority(name string) (*Authority, error) {
	key, keyPEM, err := NewKey()
	if err != nil {
		return nil, err
	}
	a := &Authority{KeyPEM: keyPEM, certificate: template(name), key: key}
	a.certificate.IsCA, a.certificate.BasicConstraintsValid = true, true
	a.certificate.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	a.PEM, err = a.sign(a.certificate, key)
	return a, err
}

// APIServer makes a serving certificate for kube-apiserver's usual names and the
// addresses, and its key, both as PEM.
func (a *Authority) APIServer(addresses ...net.IP) (certificate, key []byte, err error) {
	serving, key, err := NewKey()
	if err != nil {
		return nil, nil, err
	}
	t := template("kube-apiserver")
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	t.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	t.IPAddresses = addresses
	certificate, err = a.sign(t, serving)
	return certificate, key, err
}

func (a *Authority) sign(subject *x509.Certificate, key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.CreateCertificate(rand.Reader, subject, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), nil
}

func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(validity),
	}
}

// NewKey gives a key and its PEM.
func NewKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}), nil
}
