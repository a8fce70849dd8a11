package certs

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"time"
)

// fingerprint names a certificate: the SHA-256 of its DER form.
type fingerprint [sha256.Size]byte

func fingerprintOf(cert *x509.Certificate) fingerprint { return sha256.Sum256(cert.Raw) }

// readBundle reads the certificates of a PEM bundle. Blocks of other types and
// certificates that cannot be parsed are an error; what could be read is
// returned as well.
func readBundle(data []byte) ([]*x509.Certificate, error) {
	var certs []*x509.Certificate
	var firstErr error
	fail := func(err error) {
		if firstErr == nil {
			firstErr = err
		}
	}
	for len(bytes.TrimSpace(data)) > 0 {
		block, rest := pem.Decode(data)
		if block == nil {
			fail(fmt.Errorf("bundle: certificate %d: not PEM", len(certs)+1))
			break
		}
		data = rest
		if block.Type != "CERTIFICATE" {
			fail(fmt.Errorf("bundle: certificate %d: PEM block of type %q", len(certs)+1, block.Type))
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			fail(fmt.Errorf("bundle: certificate %d: %w", len(certs)+1, err))
			continue
		}
		certs = append(certs, cert)
	}
	return certs, firstErr
}

// writeBundle is the PEM form of certificates, each once. The order depends on
// the certificates only: one that changes its part in a rotation does not change
// the bundle, and so costs no write.
func writeBundle(certs []*x509.Certificate) []byte {
	sorted := slices.Clone(certs)
	slices.SortFunc(sorted, func(a, b *x509.Certificate) int {
		if c := a.NotBefore.Compare(b.NotBefore); c != 0 {
			return c
		}
		return bytes.Compare(a.Raw, b.Raw)
	})
	sorted = slices.CompactFunc(sorted, (*x509.Certificate).Equal)
	var out bytes.Buffer
	for _, cert := range sorted {
		// Writing to a bytes.Buffer cannot fail, and there are no headers to refuse.
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
	}
	return out.Bytes()
}

// verify is nil where a client that trusts the bundle, and no other authority,
// accepts the certificate for that host ("" for any) at that time.
func verify(bundle []byte, leaf *x509.Certificate, host string, now time.Time) error {
	roots := x509.NewCertPool()
	certs, unread := readBundle(bundle)
	for _, cert := range certs {
		roots.AddCert(cert)
	}
	if len(certs) == 0 && unread != nil {
		return unread
	}
	// What cannot be read is passed over, as an API server does.
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots:       roots,
		DNSName:     host,
		CurrentTime: now,
		KeyUsages:   []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return err
}
