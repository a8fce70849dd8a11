package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/webhook"
)

// serveCommand holds the flags of `colocate serve`.
type serveCommand struct {
	*program
	imageFlags

	definitions string
	kubeconfig  string
	namespace   string

	bind                          string
	port, metricsPort, probesPort int
	pprof                         string

	certFile, keyFile string
	clientCA          string
	sans              []string
	configuration     string
	service           string
	rotationDelay     time.Duration

	grace     time.Duration
	logFormat string
	logLevel  string
}

func (p *program) serveCommand() *cobra.Command {
	s := &serveCommand{program: p}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the admission webhook",
		Long: `Serve the admission webhook until SIGTERM. In a cluster the definitions come from
the ConfigMaps with the label colocate.dev/definitions=v1 in the webhook's own
namespace, and the certificate from an authority that the replicas share in a
Secret, unless --tls-cert-file and --tls-key-file are given.

With --definitions FILE nothing of a cluster is needed: the definitions are those of
the file, a ConfigMap or a role manifest, and the certificate is self-signed. Its
authority is printed on stdout, for caBundle.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.run(c.Context()) },
	}
	s.flags(c)
	return c
}

func (s *serveCommand) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&s.definitions, "definitions", "d", "", "serve the definitions of this `file` (ConfigMaps or a role manifest) without a cluster")
	s.imageFlags.add(c)
	f.StringVar(&s.kubeconfig, "kubeconfig", "", "`file` with the way to the API server; default: the pod's own, or $KUBECONFIG")
	f.StringVarP(&s.namespace, "namespace", "n", "", "namespace of the definitions and the authority; default: $POD_NAMESPACE, or "+injector.Namespace)
	f.StringVar(&s.bind, "bind-address", "", "address to listen on; default: all")
	f.IntVar(&s.port, "port", 9443, "port of the webhook")
	f.IntVar(&s.metricsPort, "metrics-port", 8080, "port of /metrics, plain HTTP; 0 for none")
	f.IntVar(&s.probesPort, "probe-port", 8081, "port of /healthz and /readyz, plain HTTP; 0 for none")
	f.StringVar(&s.pprof, "pprof-address", "", "host:port of /debug/pprof; default: none")
	f.StringVar(&s.certFile, "tls-cert-file", "", "`file` with the serving certificate (PEM), read again when it changes")
	f.StringVar(&s.keyFile, "tls-key-file", "", "`file` with its key")
	f.StringVar(&s.clientCA, "client-ca-file", "", "`file` with the authorities (PEM) of which callers must present a certificate")
	f.StringArrayVar(&s.sans, "tls-san", nil, "further DNS `name` or IP address for the certificate, to reach the webhook by URL; repeatable")
	f.StringVar(&s.service, "service", injector.Name, "name of the Service, for the certificate")
	f.StringVar(&s.configuration, "webhook-configuration", injector.Name, "name of the mutating and the validating webhook configuration whose caBundle is kept")
	f.DurationVar(&s.rotationDelay, "ca-rotation-delay", 2*time.Minute, "for how long every caBundle must carry a new authority before it signs")
	f.DurationVar(&s.grace, "grace-period", 15*time.Second, "for how long requests are still taken after SIGTERM")
	f.StringVar(&s.logFormat, "log-format", "json", "json or text")
	f.StringVar(&s.logLevel, "log-level", "info", "debug, info, warn or error")
}

// check finds what is wrong with the flags themselves, before anything is read.
func (s *serveCommand) check() error {
	for _, p := range []struct {
		flag        string
		port, least int
	}{{"--port", s.port, 1}, {"--metrics-port", s.metricsPort, 0}, {"--probe-port", s.probesPort, 0}} {
		if p.port < p.least || p.port > 65535 {
			return usagef("%s is %d: a port is a number from %d to 65535", p.flag, p.port, p.least)
		}
	}
	if s.pprof != "" {
		if _, _, err := net.SplitHostPort(s.pprof); err != nil {
			return usagef("--pprof-address is %q: write host:port", s.pprof)
		}
	}
	if s.grace < 0 || s.rotationDelay < 0 {
		return usagef("--grace-period and --ca-rotation-delay must not be negative")
	}
	if (s.certFile == "") != (s.keyFile == "") {
		return usagef("give --tls-cert-file and --tls-key-file together")
	}
	if s.definitions == "" && len(s.images)+len(s.set) > 0 || s.definitions == "" && s.file+s.template != "" {
		return usagef("image flags are for the role manifest that --definitions names; definitions in a cluster have their images")
	}
	return nil
}

func (s *serveCommand) run(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	log, err := s.logger()
	if err != nil {
		return err
	}
	defer log.end()
	options := webhook.Options{
		Address:        net.JoinHostPort(s.bind, strconv.Itoa(s.port)),
		MetricsAddress: s.plain(s.metricsPort),
		ProbeAddress:   s.plain(s.probesPort),
		PprofAddress:   s.pprof,
		Grace:          s.grace,
		Logger:         log.Logger,
		Lines:          log.lines,
		Metrics:        webhook.NewMetrics(),
	}
	if options.ClientCAs, err = clientCAs(s.clientCA); err != nil {
		return err
	}
	var config *rest.Config
	if s.definitions == "" {
		if config, err = restConfig(s.kubeconfig, "", "colocate/"+s.version.Version, "run in a pod, give --kubeconfig, or serve a file with --definitions"); err != nil {
			return err
		}
		options.Cluster = &webhook.Cluster{Config: config, Namespace: s.ownNamespace()}
	} else if options.Snapshot, err = s.fromFile(); err != nil {
		return err
	}
	if err := s.certificates(&options, config, log.Logger); err != nil {
		return err
	}
	sweepLess()
	startStacksLarger(ctx.Done())
	if s.pprof != "" {
		profileMemory()
	}
	server, err := webhook.New(options)
	if err != nil {
		return err
	}
	log.Info("starting", "version", s.version.Version, "commit", s.version.Commit, "address", options.Address)
	return server.Start(ctx)
}

// fromFile compiles the definitions of a file; a role that cannot be used is no
// reason not to serve the others.
func (s *serveCommand) fromFile() (*injector.Snapshot, error) {
	f := definitionFlags{imageFlags: s.imageFlags, definitions: s.definitions}
	return f.load(s.program)
}

func (s *serveCommand) plain(port int) string {
	if port == 0 {
		return ""
	}
	return net.JoinHostPort(s.bind, strconv.Itoa(port))
}

func (s *serveCommand) ownNamespace() string {
	for _, name := range []string{s.namespace, os.Getenv("POD_NAMESPACE")} {
		if name != "" {
			return name
		}
	}
	return injector.Namespace
}

func clientCAs(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--client-ca-file %w", fileError(file, err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--client-ca-file %s: holds no PEM certificate", file)
	}
	return pool, nil
}
