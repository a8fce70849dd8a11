//go:build unix

// Command control-plane builds the Kubernetes programs that the tests run, from
// the modules beside it, so that a machine needs Go and nothing else:
//
//	control-plane -modules tools/control-plane -out .cache/control-plane/bin api node
//
// What is up to date is left alone. A build that is interrupted leaves no half
// file, and a second one started meanwhile waits for the first.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	modules := flag.String("modules", "tools/control-plane", "folder that holds the modules")
	out := flag.String("out", ".cache/control-plane/bin", "folder that the programs go to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *modules, *out, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "control-plane:", err)
		stop()
		os.Exit(1)
	}
}

// run builds what is missing or out of date of the named sets into out.
func run(ctx context.Context, modules, out string, names []string, log io.Writer) error {
	wanted, err := choose(names)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(out, ".lock"), log)
	if err != nil {
		return err
	}
	defer unlock()

	stale, err := outOfDate(wanted, modules, out)
	if err != nil {
		return err
	}
	if len(stale) == 0 {
		return nil
	}
	started := time.Now()
	announce(stale, log)
	for i, build := range stale {
		fmt.Fprintf(log, "[%d/%d] %s (about %s when nothing is cached)\n", i+1, len(stale), build.program.name, build.program.usual)
		if err := build.run(ctx, log); err != nil {
			return err
		}
	}
	fmt.Fprintf(log, "built in %s, in %s\n", since(started), out)
	return nil
}

// choose turns names of sets into programs.
func choose(names []string) ([]program, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf(`nothing to build: name the sets "api" and "node", or one of them`)
	}
	var wanted []program
	for _, name := range names {
		set, ok := sets()[name]
		if !ok {
			return nil, fmt.Errorf("set %q: unknown; there are \"api\" and \"node\"", name)
		}
		wanted = append(wanted, set...)
	}
	return wanted, nil
}

// announce says what is going to happen and how long it usually takes.
func announce(stale []build, log io.Writer) {
	var usual time.Duration
	for _, build := range stale {
		usual += build.program.usual
	}
	fmt.Fprintf(log, "building %d program(s) from Go modules: about %s on two cores the first time, seconds when Go has them cached\n",
		len(stale), usual.Round(time.Minute/2))
}

// lock waits until no other build writes to the folder. The system gives the
// lock back when this process ends, however it ends.
func lock(path string, log io.Writer) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	descriptor := int(file.Fd())
	if syscall.Flock(descriptor, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		return func() { _ = file.Close() }, nil
	}
	fmt.Fprintln(log, "another build is running; waiting for it")
	if err := syscall.Flock(descriptor, syscall.LOCK_EX); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock %q: %w", path, err)
	}
	return func() { _ = file.Close() }, nil
}

func since(started time.Time) time.Duration { return time.Since(started).Round(time.Second) }
