package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// kind is a cluster in Docker containers, made by the kind that tools/kind pins.
type kind struct {
	name, root, folder string
	log                io.Writer
}

// startKind makes a cluster; it needs Docker.
func startKind(ctx context.Context, log io.Writer) (Cluster, error) {
	if out, err := exec.CommandContext(ctx, "docker", "info").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kind needs a running Docker: %w\n%s", err, out)
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	folder, err := os.MkdirTemp("", "colocate-kind-")
	if err != nil {
		return nil, err
	}
	k := kind{name: "colocate-" + strconv.Itoa(os.Getpid()), root: strings.TrimSpace(string(out)), folder: folder, log: log}
	if err := k.run(ctx, "create", "cluster", "--kubeconfig", k.Kubeconfig(), "--wait", "3m"); err != nil {
		return nil, errors.Join(err, k.Stop())
	}
	return k, nil
}

// Kubeconfig is [Cluster.Kubeconfig].
func (k kind) Kubeconfig() string { return filepath.Join(k.folder, "kubeconfig") }

// Load is [Cluster.Load].
func (k kind) Load(ctx context.Context, archive string) error {
	return k.run(ctx, "load", "image-archive", archive)
}

// Stop deletes the cluster, also where the suite was interrupted.
func (k kind) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return errors.Join(k.run(ctx, "delete", "cluster", "--kubeconfig", k.Kubeconfig()), os.RemoveAll(k.folder))
}

// run calls kind with the cluster's name.
func (k kind) run(ctx context.Context, args ...string) error {
	args = append([]string{"tool", "-modfile=" + filepath.Join("tools", "kind", "go.mod"), "kind"}, args...)
	command := exec.CommandContext(ctx, "go", append(args, "--name", k.name)...)
	command.Dir, command.Stdout, command.Stderr = k.root, k.log, k.log
	if err := command.Run(); err != nil {
		return fmt.Errorf("kind %s: %w", strings.Join(args[3:5], " "), err)
	}
	return nil
}
