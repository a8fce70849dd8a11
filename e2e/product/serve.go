package product

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"colocate.dev/colocate/e2e/process"
)

// Replica is one running `colocate serve`.
type Replica struct {
	// Port is the webhook's, Probes and Metrics those of the plain pages.
	Port, Probes, Metrics int
	// Log is the file with its output.
	Log string

	address string
	process *process.Process
}

// Options of a replica.
type Options struct {
	// Binary and Kubeconfig are required, the latter not with --definitions in Flags.
	Binary, Kubeconfig string
	// Address is what it listens on and is reached by; "" means 127.0.0.1.
	Address string
	// Port of the webhook; 0 takes a free one.
	Port int
	// Log is the file to write to, appending.
	Log string
	// Flags are further flags of `colocate serve`.
	Flags []string
}

// Serve starts a replica. End it by Stop or Kill.
func Serve(o Options) (*Replica, error) {
	if o.Address == "" {
		o.Address = "127.0.0.1"
	}
	r := &Replica{Port: o.Port, Log: o.Log, address: o.Address}
	for _, port := range []*int{&r.Port, &r.Probes, &r.Metrics} {
		if *port != 0 {
			continue
		}
		free, err := FreePort(o.Address)
		if err != nil {
			return nil, err
		}
		*port = free
	}
	flags := []string{
		"serve", "--bind-address", o.Address, "--port", strconv.Itoa(r.Port),
		"--probe-port", strconv.Itoa(r.Probes), "--metrics-port", strconv.Itoa(r.Metrics), "--tls-san", o.Address,
	}
	if o.Kubeconfig != "" {
		flags = append(flags, "--kubeconfig", o.Kubeconfig)
	}
	var err error
	r.process, err = process.Start(o.Binary, o.Log, append(flags, o.Flags...)...)
	return r, err
}

// ServeReady starts a replica and waits until it is ready; where it does not
// become so, nothing is left running.
func ServeReady(ctx context.Context, o Options) (*Replica, error) {
	r, err := Serve(o)
	if err != nil {
		return nil, err
	}
	if err := r.WaitReady(ctx, time.Minute); err != nil {
		r.Kill()
		return nil, err
	}
	return r, nil
}

// FreePort returns a TCP port of the address that nobody listens on.
func FreePort(address string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// PID is the process's id.
func (r *Replica) PID() int { return r.process.PID() }

// Ready asks the readiness page and returns nil where the answer is 200.
func (r *Replica) Ready(ctx context.Context) error {
	_, err := r.get(ctx, r.Probes, "/readyz?verbose")
	return err
}

// MetricsText is what Prometheus would scrape.
func (r *Replica) MetricsText(ctx context.Context) (string, error) {
	return r.get(ctx, r.Metrics, "/metrics")
}

// Admissions are the lines of the counter of decided pods, "" before the first.
func (r *Replica) Admissions(ctx context.Context) (string, error) {
	text, err := r.MetricsText(ctx)
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "colocate_admissions_total") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ""), err
}

func (r *Replica) get(ctx context.Context, port int, path string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(r.address, strconv.Itoa(port))+path, nil)
	if err != nil {
		return "", err
	}
	response, err := (&http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
	return string(body), err
}

// WaitReady polls until the replica is ready, it has ended, or the time is over.
func (r *Replica) WaitReady(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last := errors.New("not asked yet")
	for {
		if err := r.Ready(ctx); err == nil {
			return nil
		} else if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("webhook not ready after %s: %w\n%s", limit, last, r.process.Tail())
		case <-r.process.Done():
			return r.process.Failure("webhook")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the replica as the kubelet does and waits for it; the error is that
// of its exit.
func (r *Replica) Stop() error { return r.process.Terminate() }

// Kill ends the replica at once and waits for it.
func (r *Replica) Kill() { r.process.Kill() }

// Tail is the end of the replica's output.
func (r *Replica) Tail() string { return r.process.Tail() }
