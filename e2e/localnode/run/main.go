// Command run starts a local node and keeps it until its input ends or it gets an
// interrupt, then removes everything. Package localnode starts it; by hand, as
// root, it gives a cluster to play with:
//
//	go run ./e2e/localnode/run .cache/control-plane/bin
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"colocate.dev/colocate/e2e/localnode"
)

func main() {
	// Whoever read our messages may be gone before us: that must not end the clean-up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, stop, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "localnode:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stop func(), args []string) error {
	if len(args) == 3 && args[0] == "inside" {
		return localnode.Inside(ctx, args[1], args[2], os.Stdout, os.Stderr)
	}
	if len(args) != 1 {
		return errors.New("usage: run FOLDER-OF-PROGRAMS")
	}
	binaries, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that it says
		stop()
	}()
	return localnode.Outside(ctx, binaries, os.Stdout, os.Stderr)
}
