// Command bench measures what an admission costs, end to end: it sends reviews to
// `colocate serve` the way the API server does, and the same reviews to a
// yardstick (package raw) in turn, and prints one table. Numbers that count are
// ratios of the two within one round: times depend on the machine and on what
// else runs there. With -apiserver it also creates pods (dry run) through a real
// API server, changes definitions under load, and with -soak looks at memory for
// a while.
//
//	go run ./e2e/bench -json bin/performance.json
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"colocate.dev/colocate/e2e/process"
	"colocate.dev/colocate/e2e/product"
)

// options are the flags.
type options struct {
	requests, rounds, atOnce int
	roles                    int
	apiserver                bool
	soak                     time.Duration
	output                   string
}

func main() {
	var o options
	flag.IntVar(&o.requests, "n", 3000, "reviews of one size for one target and round")
	flag.IntVar(&o.rounds, "rounds", 9, "how often each target is measured")
	flag.IntVar(&o.atOnce, "c", 4, "reviews under way at once")
	flag.IntVar(&o.roles, "roles", 10_000, "main roles of the target with many")
	flag.BoolVar(&o.apiserver, "apiserver", false, "also create pods through a real API server")
	flag.DurationVar(&o.soak, "soak", 0, "with -apiserver: also send reviews for that long and look at memory")
	flag.StringVar(&o.output, "json", "", "`file` for the results")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	folder, err := os.MkdirTemp("", "colocate-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // what is left there harms nobody
	b := &bench{options: o, folder: folder}
	defer b.stop()
	if b.binary, err = product.Build(ctx, folder); err != nil {
		return err
	}
	results := &results{Requests: o.requests, Rounds: o.rounds, AtOnce: o.atOnce}
	if err := b.webhook(ctx, results); err != nil {
		return err
	}
	b.stop()
	if o.apiserver {
		if err := b.cluster(ctx, results); err != nil {
			return err
		}
	}
	if err := results.print(os.Stdout); err != nil {
		return err
	}
	if o.output == "" {
		return nil
	}
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.output, append(text, '\n'), 0o644)
}

// bench is what runs during the measurement.
type bench struct {
	options
	folder, binary string
	stops          []func()
}

func (b *bench) stop() {
	for _, stop := range b.stops {
		stop()
	}
	b.stops = nil
}

// webhook measures the yardstick, colocate, and colocate with many roles, one
// after the other in each round, every other round backwards.
func (b *bench) webhook(ctx context.Context, into *results) error {
	targets, err := b.targets(ctx)
	if err != nil {
		return err
	}
	all, err := reviews()
	if err != nil {
		return err
	}
	for _, r := range all {
		samples := make([][]sample, len(targets))
		for round := range b.rounds {
			for k := range targets {
				if round%2 == 1 {
					k = len(targets) - 1 - k
				}
				s, err := measure(ctx, targets[k], r, b.requests, b.atOnce)
				if err != nil {
					return err
				}
				samples[k] = append(samples[k], s)
			}
		}
		for k, t := range targets {
			into.Webhook = append(into.Webhook, rowOf(r, t, samples[k], samples[0]))
		}
	}
	return nil
}

func (b *bench) targets(ctx context.Context) ([]target, error) {
	raw := target{name: "raw"}
	binary := filepath.Join(b.folder, "raw")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "colocate.dev/colocate/e2e/bench/raw").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build raw: %w\n%s", err, out)
	}
	port, err := product.FreePort("127.0.0.1")
	if err != nil {
		return nil, err
	}
	p, err := process.Start(binary, filepath.Join(b.folder, "raw.log"), strconv.Itoa(port))
	if err != nil {
		return nil, err
	}
	b.stops = append(b.stops, p.Kill)
	raw.pid, raw.url = p.PID(), urlOf(port)
	targets := []target{raw}
	for _, t := range []struct{ name, definitions string }{
		{"colocate", definitions},
		{fmt.Sprintf("colocate, %d roles", b.roles), manyDefinitions(b.roles)},
	} {
		r, err := b.serve(ctx, t.name, t.definitions)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target{name: t.name, pid: r.PID(), url: urlOf(r.Port), quiet: true})
	}
	time.Sleep(time.Second) // what starts has settled
	return targets, nil
}

func (b *bench) serve(ctx context.Context, name, text string) (*product.Replica, error) {
	file := filepath.Join(b.folder, name+".yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return nil, err
	}
	r, err := product.ServeReady(ctx, product.Options{
		Binary: b.binary, Log: filepath.Join(b.folder, name+".log"), Flags: []string{"--definitions", file},
	})
	if err == nil {
		b.stops = append(b.stops, r.Kill)
	}
	return r, err
}

func urlOf(port int) string { return fmt.Sprintf("https://127.0.0.1:%d/mutate", port) }
