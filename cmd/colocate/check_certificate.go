package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"net/url"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
)

const bundleRemedy = "A running replica writes it within seconds: look at the webhook's log, and at its right to patch webhook configurations."

// checkBundle compares the caBundle with the authority and, where the webhook is
// reached by URL, with the certificate that it presents.
func (k *checkCommand) checkBundle(ctx context.Context, c admissionregistrationv1.WebhookClientConfig) {
	if len(c.CABundle) == 0 {
		k.fail("certificate", bundleRemedy, "the caBundle is empty: no call can be trusted")
		return
	}
	pool := x509.NewCertPool()
	soonest, n := time.Time{}, 0
	for left := c.CABundle; ; n++ {
		var block *pem.Block
		if block, left = pem.Decode(left); block == nil {
			break
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			k.fail("certificate", "Remove the caBundle; a running replica writes it again.", "the caBundle holds something that is no certificate: %v", err)
			return
		}
		pool.AddCert(certificate)
		if soonest.IsZero() || certificate.NotAfter.Before(soonest) {
			soonest = certificate.NotAfter
		}
	}
	switch left := time.Until(soonest); {
	case n == 0:
		k.fail("certificate", "Remove the caBundle; a running replica writes it again.", "the caBundle holds no certificate")
		return
	case left < 0 && n == 1:
		k.fail("certificate", "Look at the webhook's log: it renews the authority long before.", "the authority in the caBundle expired on %s", soonest.Format(time.DateOnly))
		return
	case left < 30*24*time.Hour && n == 1:
		k.warn("certificate", "Look at the webhook's log: it renews the authority at two thirds of its life.", "the authority in the caBundle expires on %s", soonest.Format(time.DateOnly))
	}
	k.checkSecret(ctx, c.CABundle)
	if c.URL != nil {
		k.dial(ctx, *c.URL, pool)
	}
}

// checkSecret compares the caBundle with the Secret, where that may be read.
func (k *checkCommand) checkSecret(ctx context.Context, bundle []byte) {
	var secret corev1.Secret
	err := k.client.Get(ctx, client.ObjectKey{Namespace: k.namespace, Name: injector.CASecretName}, &secret)
	switch {
	case apierrors.IsNotFound(err):
		k.ok("certificate", "the caBundle holds certificates; there is no Secret %q (mounted certificates?)", injector.CASecretName)
	case err != nil:
		k.warn("certificate", "Run check with the right to read the Secret to compare the two.", "the caBundle holds certificates; Secret %q: %v", injector.CASecretName, err)
	case !bytes.Contains(bundle, bytes.TrimSpace(secret.Data[corev1.TLSCertKey])):
		k.fail("certificate", "Look at the webhook's log: replicas write the caBundle within seconds.", "the caBundle does not hold the authority of Secret %q", injector.CASecretName)
	default:
		k.ok("certificate", "the caBundle holds the authority of Secret %q", injector.CASecretName)
	}
}

// dial looks at the certificate that is presented at a URL.
func (k *checkCommand) dial(ctx context.Context, address string, pool *x509.CertPool) {
	u, err := url.Parse(address)
	if err != nil {
		k.fail("certificate", "Correct clientConfig.url.", "the URL %q cannot be read: %v", address, err)
		return
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "443")
	}
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12, ServerName: u.Hostname()}}
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if wrong := (*tls.CertificateVerificationError)(nil); errors.As(err, &wrong) {
		k.fail("certificate", "Look at the webhook's log: a running replica writes the caBundle within seconds.", "the caBundle does not trust what %s presents: %v", host, wrong.Err)
		return
	}
	if err != nil {
		k.warn("certificate", "From here this may be the network; the dry-run pod below is what the API server sees.", "%s: %v", host, err)
		return
	}
	defer func() { _ = conn.Close() }() // it was only looked at
	if t, ok := conn.(*tls.Conn); ok {
		k.ok("certificate", "%s presents a certificate that the caBundle trusts, until %s", host, t.ConnectionState().PeerCertificates[0].NotAfter.UTC().Format(time.RFC3339))
	}
}
