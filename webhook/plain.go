package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"
)

// servePlain serves plain HTTP for operators until ctx is done.
func servePlain(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      90 * time.Second, // a profile takes 30 seconds unless told otherwise
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(last) != nil {
			_ = server.Close() // what is still open is an operator's
		}
	}()
	err := server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		<-ended
		return nil
	}
	return err
}

func metricsMux(m *Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.handler())
	return mux
}

func pprofMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// group is goroutines that end together.
type group struct {
	ctx    context.Context
	failed chan struct{} // closed when one has ended by itself

	running sync.WaitGroup
	once    sync.Once
	err     error
}

func newGroup(ctx context.Context) *group { return &group{ctx: ctx, failed: make(chan struct{})} }

// run starts one. It is a failure where it ends before the group's context does.
func (g *group) run(name string, start func(context.Context) error) {
	g.running.Go(func() {
		err := start(g.ctx)
		if err == nil && g.ctx.Err() == nil {
			err = errors.New("ended unexpectedly")
		}
		if err != nil {
			g.once.Do(func() {
				g.err = fmt.Errorf("%s: %w", name, err)
				close(g.failed)
			})
		}
	})
}

// wait returns the first failure when all have ended.
func (g *group) wait() error {
	g.running.Wait()
	return g.err
}
