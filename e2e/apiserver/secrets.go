package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is far longer than any test runs.
const validity = 30 * 24 * time.Hour

// secrets are what clients and the two programs trust; all are made anew for
// every Server.
type secrets struct {
	// ca is the PEM of the certificate that signed the API server's.
	ca []byte
	// token is the administrator's bearer token.
	token string
	// Files for flags.
	servingCertificate, servingKey, accountKey, tokens string
}

// newSecrets makes a CA, a serving certificate for address and loopback, the key
// that signs ServiceAccount tokens, and the administrator's token.
func newSecrets(dir, address string) (secrets, error) {
	s := secrets{
		token:              rand.Text(),
		servingCertificate: filepath.Join(dir, "serving.crt"),
		servingKey:         filepath.Join(dir, "serving.key"),
		accountKey:         filepath.Join(dir, "accounts.key"),
		tokens:             filepath.Join(dir, "tokens.csv"),
	}
	serving, servingKey, err := s.signServing(address)
	if err != nil {
		return s, fmt.Errorf("make certificates: %w", err)
	}
	_, accountKey, err := newKey()
	if err != nil {
		return s, err
	}
	for _, file := range []struct {
		path string
		text []byte
	}{
		{s.servingCertificate, serving},
		{s.servingKey, servingKey},
		{s.accountKey, accountKey},
		{s.tokens, []byte(s.token + `,admin,admin,"system:masters"` + "\n")},
	} {
		if err := os.WriteFile(file.path, file.text, 0o600); err != nil {
			return s, err
		}
	}
	return s, nil
}

// signServing makes a CA, whose certificate it keeps, and a serving certificate.
func (s *secrets) signServing(address string) (certificate, key []byte, err error) {
	caKey, _, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	ca := template("colocate-test-ca")
	ca.IsCA, ca.BasicConstraintsValid = true, true
	ca.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	caRaw, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return nil, nil, err
	}
	s.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caRaw})

	servingKey, key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	serving := template("kube-apiserver")
	serving.KeyUsage = x509.KeyUsageDigitalSignature
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serving.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(firstServiceAddress)}
	if ip := net.ParseIP(address); ip != nil {
		serving.IPAddresses = append(serving.IPAddresses, ip)
	}
	raw, err := x509.CreateCertificate(rand.Reader, serving, ca, servingKey.Public(), caKey)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), key, nil
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

// newKey gives a key and its PEM.
func newKey() (*ecdsa.PrivateKey, []byte, error) {
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
