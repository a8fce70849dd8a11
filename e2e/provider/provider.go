// Package provider gets a cluster for a suite to run on: a local node, one by kind,
// or an existing cluster.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"colocate.dev/colocate/e2e/localnode"
)

// Cluster is where a suite runs.
type Cluster interface {
	// Kubeconfig is the path of an administrator's kubeconfig.
	Kubeconfig() string
	// Load brings the images of an archive, as `docker save` writes it, to every node.
	Load(ctx context.Context, archive string) error
	// Stop removes what was made for the suite, and fails where something is left.
	Stop() error
}

// Names are the providers that Start knows.
func Names() []string { return []string{"existing", "kind", "local"} }

// Start gets a cluster from the named provider; kubeconfig is for "existing" alone.
func Start(ctx context.Context, name, kubeconfig string, log io.Writer) (Cluster, error) {
	if (kubeconfig != "") != (name == "existing") {
		return nil, errors.New(`-kubeconfig goes with -provider=existing, and the other way round`)
	}
	switch name {
	case "existing":
		return existing{kubeconfig: kubeconfig, log: log}, nil
	case "kind":
		return startKind(ctx, log)
	case "local":
		node, err := localnode.Start(ctx, log)
		if err != nil {
			return nil, err
		}
		return local{node}, nil
	}
	return nil, fmt.Errorf("provider %q: unknown; there are %s", name, strings.Join(slices.Sorted(slices.Values(Names())), ", "))
}

// existing is a cluster that somebody else keeps.
type existing struct {
	kubeconfig string
	log        io.Writer
}

// Kubeconfig is [Cluster.Kubeconfig].
func (e existing) Kubeconfig() string { return e.kubeconfig }

// Load does nothing: the images must be there, or be where the nodes find them.
func (e existing) Load(_ context.Context, archive string) error {
	fmt.Fprintf(e.log, "existing cluster: the images of %s must be on its nodes already\n", archive)
	return nil
}

// Stop does nothing: the cluster is not ours.
func (existing) Stop() error { return nil }

// local is a node started on this machine.
type local struct{ *localnode.Node }

// Stop takes the node down and errs where something of it is left.
func (l local) Stop() error {
	if err := l.Node.Stop(); err != nil {
		return err
	}
	left, err := l.Leftovers()
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("the local node left behind:\n%s", strings.Join(left, "\n"))
	}
	return err
}
