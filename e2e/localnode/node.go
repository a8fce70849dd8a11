package localnode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"colocate.dev/colocate/e2e/apiserver"
)

// stopTimeout is how long the end of a node may take; under 1 s is usual.
const stopTimeout = time.Minute

// Node is a running cluster of one node.
type Node struct {
	information
	command *exec.Cmd
	// keep is the pipe whose end is the node's.
	keep io.Closer
	stop func() error
}

// Start brings a node up, prints its steps to log and returns when pods can be
// created: about 10 s. It must run inside the module, as root on Linux. End the
// node by Stop; it ends with the calling program, too, however that ends.
func Start(ctx context.Context, log io.Writer) (*Node, error) {
	binaries, err := apiserver.Binaries()
	if err != nil {
		return nil, err
	}
	program, err := build(ctx)
	if err != nil {
		return nil, err
	}
	n := &Node{command: exec.Command(program, binaries)}
	n.command.Stderr = log
	n.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is the caller's to handle
	if n.keep, err = n.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := n.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := n.command.Start(); err != nil {
		return nil, err
	}
	n.stop = sync.OnceValue(n.end)
	defer context.AfterFunc(ctx, func() { _ = n.keep.Close() })()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &n.information)
	}
	if err != nil {
		return nil, errors.Join(errors.New("the local node did not start; its last lines say why"), n.Stop(), ctx.Err())
	}
	return n, nil
}

// build compiles the program of the outside process into bin of the module.
func build(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	program := filepath.Join(strings.TrimSpace(string(out)), "bin", "localnode")
	command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, "colocate.dev/colocate/e2e/localnode/run")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the local node: %w\n%s", err, out)
	}
	return program, nil
}

// Stop ends everything that runs on the node and removes every trace of it. It may
// be called more than once.
func (n *Node) Stop() error { return n.stop() }

func (n *Node) end() error {
	_ = n.keep.Close() // it fails only where it is closed
	timer := time.AfterFunc(stopTimeout, func() { _ = n.command.Process.Kill() })
	defer timer.Stop()
	if err := n.command.Wait(); err != nil {
		return fmt.Errorf("local node: %w", err)
	}
	return nil
}

// Kubeconfig is the path of the administrator's kubeconfig.
func (n *Node) Kubeconfig() string { return n.information.Kubeconfig }

// PID is the process id of the outside process.
func (n *Node) PID() int { return n.command.Process.Pid }

// Log gives the path of what a program of the node prints, "kubelet" for example.
// It goes with Stop.
func (n *Node) Log(program string) string { return n.layout().log(program) }

// Load takes the images of a docker or OCI archive.
func (n *Node) Load(ctx context.Context, archive string) error {
	l := n.layout()
	command := exec.CommandContext(ctx, l.program("ctr"), "--address", l.socket(), "--namespace", "k8s.io", "images", "import", archive)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("load the images of %q: %w\n%s", archive, err, out)
	}
	return nil
}

// Leftovers gives what is on the machine of this node: processes, mounts, control
// groups, network devices, folders. After Stop there should be nothing.
func (n *Node) Leftovers() ([]string, error) { return leftovers(n.layout().name()) }

func (n *Node) layout() layout { return layout{folder: n.Folder, binaries: n.Binaries} }
