package apiserver

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"colocate.dev/colocate/e2e/pki"
)

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
	_, accountKey, err := pki.NewKey()
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
	authority, err := pki.NewAuthority("colocate-test-ca")
	if err != nil {
		return nil, nil, err
	}
	s.ca = authority.PEM
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(firstServiceAddress)}
	if ip := net.ParseIP(address); ip != nil {
		addresses = append(addresses, ip)
	}
	return authority.APIServer(addresses...)
}
