package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"colocate.dev/colocate/injector"
)

// Server is the webhook with everything that belongs to it: its definitions,
// its certificate, probes and metrics.
type Server struct {
	options  Options
	store    *Store
	ready    *readiness
	draining atomic.Bool
	mux      *http.ServeMux
	hooks    ctrlwebhook.Server
	manager  manager.Manager // nil where there is no cluster
}

// New wires a server that does nothing before Start. It errs on options that are
// missing or contradict each other; it calls nobody.
func New(o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if err := o.Metrics.watchExpiry(o.Certificates.Expiry); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	host, port, err := splitAddress(o.Address)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, store: &Store{}, mux: http.NewServeMux()}
	s.hooks = ctrlwebhook.NewServer(ctrlwebhook.Options{Host: host, Port: port, WebhookMux: s.mux, TLSOpts: []func(*tls.Config){s.configureTLS}})
	s.ready = &readiness{draining: &s.draining, certificate: o.Certificates.Ready, trusted: o.Trusted, listener: newSelfDial(o.Address, o.Certificates)}
	load := newLoader(s.store, o.Metrics, o.Logger)
	s.ready.definitions = load.ready
	if o.Cluster == nil {
		load.serve(o.Snapshot)
	} else if s.manager, err = s.newManager(load); err != nil {
		return nil, err
	}
	s.register(load)
	return s, nil
}

// register puts the handlers behind their guard.
func (s *Server) register(load *loader) {
	room := newRoom()
	log := s.options.Logger
	guarded := func(next http.Handler) http.Handler {
		return &guard{next: next, room: room, draining: &s.draining, metrics: s.options.Metrics, log: log}
	}
	large := semaphore.NewWeighted(1)
	thrifty := func(next http.Handler) http.Handler {
		return guarded(&frugal{next: next, metrics: s.options.Metrics, large: large})
	}
	// Not by Register, which wraps a handler into three that count and measure what
	// is counted and measured here already; they cost a twentieth of an admission.
	s.mux.Handle(injector.PathMutate, guarded(newPods(s.store, s.options.Metrics, log, s.options.Lines)))
	s.hooks.Register(injector.PathDefinitions, thrifty(newDefinitionsHook(load, log)))
	s.hooks.Register(injector.PathWorkloads, thrifty(newWorkloadsHook(s.store, log, false)))
	s.hooks.Register(injector.PathWorkloadsLeftOut, thrifty(newWorkloadsHook(s.store, log, true)))
}

// configureTLS is for the listener. HTTP/2 is not offered: an API server speaks
// it to no webhook behind a Service, and its streams would be one more thing to
// bound.
func (s *Server) configureTLS(c *tls.Config) {
	c.MinVersion = s.options.MinTLSVersion
	c.GetCertificate = s.options.Certificates.GetCertificate
	c.NextProtos = []string{"http/1.1"}
	if s.options.ClientCAs != nil {
		c.ClientCAs = s.options.ClientCAs
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
}

// Ready is nil while requests should be sent here, and says why not.
func (s *Server) Ready(ctx context.Context) error { return s.ready.check(ctx) }

// Start serves until ctx is done, and then ends in good order: not ready first,
// then the grace period, then the listener is closed and what is in flight
// answered. It returns an error where something could not be started or failed.
func (s *Server) Start(ctx context.Context) error {
	// What goes on until everything is answered does not end with ctx.
	base, stopAll := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAll()
	serving, stopServing := context.WithCancel(base)
	defer stopServing()

	side := newGroup(base)
	if err := s.startSide(side); err != nil {
		stopAll()
		return errors.Join(err, side.wait())
	}
	main := newGroup(serving)
	if s.manager != nil {
		main.run("manager", s.manager.Start)
	} else {
		main.run("webhook", s.hooks.Start)
	}

	select {
	case <-ctx.Done():
		s.drain(main.failed, side.failed)
	case <-main.failed:
	case <-side.failed:
	}
	s.draining.Store(true)
	stopServing()
	err := main.wait()
	stopAll()
	if sideErr := side.wait(); err == nil {
		err = sideErr
	}
	return err
}

// drain leaves the grace period to whoever still sends requests here, unless
// something fails meanwhile.
func (s *Server) drain(main, side <-chan struct{}) {
	s.draining.Store(true)
	s.options.Logger.LogAttrs(context.Background(), slog.LevelInfo, "ending", slog.Duration("grace", s.options.Grace))
	timer := time.NewTimer(s.options.Grace)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-main:
	case <-side:
	}
}

// startSide starts what goes on until the very end.
func (s *Server) startSide(side *group) error {
	o := &s.options
	side.run("certificates", o.Certificates.Start)
	for _, plain := range []struct {
		name, address string
		handler       http.Handler
	}{
		{"probes", o.ProbeAddress, s.ready.handler()},
		{"metrics", o.MetricsAddress, metricsMux(o.Metrics)},
		{"pprof", o.PprofAddress, pprofMux()},
	} {
		if plain.address == "" {
			continue
		}
		listener, err := net.Listen("tcp", plain.address)
		if err != nil {
			return fmt.Errorf("%s: %w", plain.name, err)
		}
		side.run(plain.name, func(ctx context.Context) error { return servePlain(ctx, listener, plain.handler, o.Logger) })
	}
	return nil
}
