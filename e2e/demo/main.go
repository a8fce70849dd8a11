// Command demo shows an injection on a real API server: it starts etcd and
// kube-apiserver, installs colocate, builds the definitions of
// examples/sidecar/role-manifest.yml and creates two pods. It leaves nothing
// running. `make demo` runs it, in the folder of go.mod.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, newPrinter(os.Stdout))
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err != nil && interrupted:
		fmt.Fprintln(os.Stderr, "interrupted; everything that was started has been stopped")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
