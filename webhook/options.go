package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"colocate.dev/colocate/injector"
)

// Certificates is where the serving certificate comes from.
type Certificates interface {
	// GetCertificate fits [tls.Config]; it errs while there is none yet.
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Start does the background work until ctx is done.
	Start(ctx context.Context) error
	// Ready is nil once there is a certificate, and says why not before.
	Ready() error
	// Expiry is the end of the certificate's life; zero while there is none.
	Expiry() time.Time
}

// Options say what a [Server] serves, and where.
type Options struct {
	// Address is host:port of the webhook itself; the host may be empty. Default ":9443".
	Address string
	// MetricsAddress, ProbeAddress and PprofAddress are host:port of plain HTTP
	// servers for /metrics, for /healthz and /readyz, and for /debug/pprof; an
	// empty one is not served.
	MetricsAddress, ProbeAddress, PprofAddress string

	// Certificates is required.
	Certificates Certificates
	// Trusted says whether API servers trust the certificate. It is asked until it
	// has once been nil, before the server is ready for the first time. Optional.
	Trusted func() error
	// ClientCAs, where given, are the authorities of which a client must present a certificate.
	ClientCAs *x509.CertPool
	// MinTLSVersion is a constant of crypto/tls. Default TLS 1.3.
	MinTLSVersion uint16

	// Cluster is where definitions are read from ConfigMaps.
	Cluster *Cluster
	// Snapshot is served instead, and never changes, where there is no cluster.
	Snapshot *injector.Snapshot

	// Grace is for how long requests are still taken after the end was asked for,
	// so that everybody can learn that this server is not ready any more.
	Grace time.Duration

	// Metrics are made by [NewMetrics]. Optional.
	Metrics *Metrics
	// Logger takes one line for each admission. Optional.
	Logger *slog.Logger
	// Lines takes those lines instead, where Logger's level lets them through: each
	// in one Write, as [slog.JSONHandler] would make them, at a lower cost. Optional.
	Lines io.Writer
}

// Cluster is where definitions come from.
type Cluster struct {
	Config *rest.Config
	// Namespace holds the ConfigMaps with the label injector.DefinitionsLabel.
	Namespace string
}

// DefaultAddress is where the webhook listens unless told otherwise.
const DefaultAddress = ":9443"

// complete fills in the defaults and checks all fields; all faults are reported at once.
func (o *Options) complete() error {
	if o.Address == "" {
		o.Address = DefaultAddress
	}
	if o.MinTLSVersion == 0 {
		o.MinTLSVersion = tls.VersionTLS13
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	var faults []error
	if _, _, err := splitAddress(o.Address); err != nil {
		faults = append(faults, err)
	}
	if o.Certificates == nil {
		faults = append(faults, errors.New("certificates: no source is given"))
	}
	switch {
	case o.Cluster == nil && o.Snapshot == nil:
		faults = append(faults, errors.New("definitions: give a cluster or a snapshot"))
	case o.Cluster != nil && o.Snapshot != nil:
		faults = append(faults, errors.New("definitions: give a cluster or a snapshot, not both"))
	case o.Cluster != nil && (o.Cluster.Config == nil || o.Cluster.Namespace == ""):
		faults = append(faults, errors.New("cluster: give its configuration and the namespace of the definitions"))
	}
	if o.Grace < 0 {
		faults = append(faults, fmt.Errorf("grace period %s: must not be negative", o.Grace))
	}
	return errors.Join(faults...)
}

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: %w: write host:port or :port", address, err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: port %q: must be a number from 1 to 65535", address, text)
	}
	return host, port, nil
}
