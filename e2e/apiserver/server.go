// Package apiserver starts a real etcd and a real kube-apiserver for tests and for
// the demonstration, in seconds and without root.
//
// There is no controller manager: nothing makes pods of a Deployment, nothing
// collects garbage, and no ServiceAccount appears in a new namespace, which is
// why CreateNamespace makes one. Both programs can be killed and restarted while
// tests run; what was written stays.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"colocate.dev/colocate/e2e/process"
)

const (
	// startTimeout is how long one program may take until it answers. About 3 s are
	// usual; a machine that compiles beside it needs more.
	startTimeout = 90 * time.Second
	// attempts are made where another program took a port between our looking for a
	// free one and our using it.
	attempts = 3
)

// Server is a running control plane. Its methods may be used concurrently.
type Server struct {
	options Options
	dir     string
	address addresses
	secrets secrets

	mu   sync.Mutex // guards the two processes
	etcd *process.Process
	api  *process.Process
}

// Start brings up etcd and kube-apiserver in a temporary folder and returns when
// the API server is ready and a pod can be created in namespace "default". Where
// it fails, nothing is left running. Call Stop in the end; on Linux both programs
// also end when the calling program does, however it ends.
func Start(ctx context.Context, options Options) (*Server, error) {
	if options.Binaries == "" {
		folder, err := Binaries()
		if err != nil {
			return nil, err
		}
		options.Binaries = folder
	} else if err := complete(options.Binaries); err != nil {
		return nil, err
	}
	if options.BindAddress == "" {
		options.BindAddress = "127.0.0.1"
	}
	for attempt := 1; ; attempt++ {
		server, err := start(ctx, options)
		if err == nil || attempt == attempts || !errors.Is(err, process.ErrPortTaken) {
			return server, err
		}
	}
}

// start is one attempt of Start.
func start(ctx context.Context, options Options) (_ *Server, err error) {
	server := &Server{options: options}
	if server.dir, err = os.MkdirTemp("", "colocate-apiserver-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, server.Stop())
		}
	}()
	if server.address, err = freeAddresses(options.BindAddress); err != nil {
		return nil, err
	}
	if server.secrets, err = newSecrets(server.dir, options.BindAddress); err != nil {
		return nil, err
	}
	if err := server.writeKubeconfig(); err != nil {
		return nil, err
	}
	if err := server.RestartEtcd(ctx); err != nil {
		return nil, err
	}
	if err := server.RestartAPIServer(ctx); err != nil {
		return nil, err
	}
	for _, namespace := range []string{"default", "kube-system"} {
		if err := server.EnsureServiceAccount(ctx, namespace); err != nil {
			return nil, err
		}
	}
	return server, nil
}

// Stop kills both programs and removes the temporary folder. It may be called
// more than once.
func (s *Server) Stop() error {
	s.KillAPIServer()
	s.KillEtcd()
	return os.RemoveAll(s.dir)
}

// KillAPIServer ends kube-apiserver at once, as a crash would.
func (s *Server) KillAPIServer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.api.Kill()
}

// KillEtcd ends etcd at once, as a crash would; kube-apiserver stays and fails.
func (s *Server) KillEtcd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.etcd.Kill()
}

// RestartEtcd kills etcd where it runs, starts it over the same data and returns
// when it answers.
func (s *Server) RestartEtcd(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.etcd.Kill()
	var err error
	s.etcd, err = s.launch(ctx, "etcd", s.etcdFlags(), s.etcdHealthy)
	return err
}

// RestartAPIServer kills kube-apiserver where it runs, starts it on the same port
// and returns when it is ready.
func (s *Server) RestartAPIServer(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.api.Kill()
	var err error
	s.api, err = s.launch(ctx, "kube-apiserver", s.apiFlags(), s.ready)
	return err
}

// launch starts a program and waits until it is healthy or has ended.
func (s *Server) launch(ctx context.Context, name string, flags []string, healthy func(context.Context) error) (*process.Process, error) {
	started, err := process.Start(filepath.Join(s.options.Binaries, name), filepath.Join(s.dir, name+".log"), flags...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		attempt, cancelAttempt := context.WithTimeout(ctx, 2*time.Second)
		err := healthy(attempt)
		cancelAttempt()
		if err == nil {
			return started, nil
		}
		select {
		case <-started.Done():
			return nil, started.Failure(name)
		case <-ctx.Done():
			started.Kill()
			return nil, fmt.Errorf("%s: not ready after %s: %w; its last lines:\n%s", name, startTimeout, err, started.Tail())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Config gives a copy of the configuration with which the administrator (group
// system:masters) reaches the API server, without client-side throttling.
func (s *Server) Config() *rest.Config { return rest.CopyConfig(s.config()) }

// Kubeconfig is the path of a kubeconfig file for the same user.
func (s *Server) Kubeconfig() string { return filepath.Join(s.dir, "kubeconfig") }

// PIDs are the process ids of etcd and kube-apiserver, 0 where one was never
// started.
func (s *Server) PIDs() (etcd, apiserver int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.etcd.PID(), s.api.PID()
}
