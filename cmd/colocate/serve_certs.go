package main

import (
	"log/slog"
	"net"

	"k8s.io/client-go/rest"

	"colocate.dev/colocate/certs"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/webhook"
)

// certificates chooses where the serving certificate comes from: files, an
// authority shared in the cluster, or one of this process.
func (s *serveCommand) certificates(o *webhook.Options, config *rest.Config, log *slog.Logger) error {
	names, ips := s.names()
	switch {
	case s.certFile != "":
		files, err := certs.NewFiles(s.certFile, s.keyFile, log, nil)
		if err != nil {
			return err
		}
		o.Certificates = files
	case config == nil:
		own, err := certs.NewSelfSigned(append(names, "localhost"), append(ips, net.IPv4(127, 0, 0, 1), net.IPv6loopback))
		if err != nil {
			return err
		}
		o.Certificates = own
		_, err = s.out.Write(own.Bundle())
		return err
	default:
		authority, err := s.authority(config, names, ips, o.Metrics, log)
		if err != nil {
			return err
		}
		o.Certificates, o.Trusted = authority, authority.Trusted
	}
	return nil
}

func (s *serveCommand) authority(config *rest.Config, names []string, ips []net.IP, m *webhook.Metrics, log *slog.Logger) (*certs.Authority, error) {
	connection, err := certs.Connect(config)
	if err != nil {
		return nil, err
	}
	return certs.NewAuthority(certs.Options{
		Connection:    connection,
		Namespace:     s.ownNamespace(),
		SecretName:    injector.CASecretName,
		SecretLabels:  map[string]string{"app.kubernetes.io/name": injector.Name, "app.kubernetes.io/managed-by": injector.Name},
		DNSNames:      names,
		IPs:           ips,
		RotationDelay: s.rotationDelay,
		CommonName:    injector.Name,
		FieldManager:  injector.Name + "-certs",
		Logger:        log,
		Webhooks: []certs.Webhooks{
			{Kind: certs.Mutating, Name: s.configuration, Entries: []string{injector.PodsWebhook}},
			{Kind: certs.Validating, Name: s.configuration, Entries: []string{
				injector.DefinitionsWebhook, injector.WorkloadsWebhook, injector.WorkloadsLeftOutWebhook, injector.WorkloadsSystemWebhook,
			}},
		},
		Hooks: certs.Hooks{
			Wrote:  m.CertificateWritten,
			Failed: m.CertificateFailed,
			Trust: func(err error) {
				if m.CertificateTrust(err); err != nil {
					log.Warn("a caBundle does not trust the serving certificate", "error", err.Error())
				}
			},
		},
	})
}

// names are what the certificate is for: the Service in all of its spellings, and
// what --tls-san adds.
func (s *serveCommand) names() (names []string, ips []net.IP) {
	service := s.service + "." + s.ownNamespace()
	names = []string{service + ".svc", service, service + ".svc.cluster.local"}
	for _, san := range s.sans {
		if ip := net.ParseIP(san); ip != nil {
			ips = append(ips, ip)
		} else {
			names = append(names, san)
		}
	}
	return names, ips
}
