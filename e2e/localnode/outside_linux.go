package localnode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// startTimeout bounds the whole start; 15 s are usual.
const startTimeout = 5 * time.Minute

// information is what the outside process tells its caller when the node is ready.
type information struct {
	Folder, Binaries, Kubeconfig string
}

// Outside is the whole life of the outside process: it starts the node, writes a
// line of JSON to out when it is ready, keeps it until ctx ends or a program of
// the node does, and removes everything. binaries is the folder of the programs.
func Outside(ctx context.Context, binaries string, out, log io.Writer) (err error) {
	steps := newSteps(log)
	if err := require(ctx, binaries, steps); err != nil {
		return err
	}
	if err := sweep(steps); err != nil {
		return fmt.Errorf("remove what an earlier node left: %w", err)
	}
	folder, err := os.MkdirTemp("", prefix)
	if err != nil {
		return err
	}
	lock, err := hold(folder)
	if err != nil {
		return err
	}
	defer func() {
		steps.done("the node ran")
		err = errors.Join(err, clear(folder), lock.Close())
		steps.done("removed folder and control groups")
	}()
	return keep(ctx, layout{folder: folder, binaries: binaries}, out, steps)
}

// keep runs the inside process until ctx or that process ends.
func keep(ctx context.Context, l layout, out io.Writer, steps *steps) error {
	if err := l.make(); err != nil {
		return err
	}
	ca, token, err := l.credentials()
	if err != nil {
		return err
	}
	if err := writeKubeconfig(l.insideKubeconfig(), net.JoinHostPort(nodeAddress, apiPort), ca, token); err != nil {
		return err
	}
	if err := l.writeConfigs(); err != nil {
		return err
	}
	if err := makeCgroups(l.name()); err != nil {
		return fmt.Errorf("control groups: %w", err)
	}
	inside, err := startInside(l, steps.log)
	if err != nil {
		return err
	}
	defer inside.kill()
	if err := inside.wait(ctx); err != nil {
		return err
	}
	namespace, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", inside.command.Process.Pid))
	if err != nil {
		return err
	}
	defer namespace.Close() //nolint:errcheck // it was only read
	address, err := forward(ctx, namespace, net.JoinHostPort(nodeAddress, apiPort))
	if err != nil {
		return err
	}
	if err := writeKubeconfig(l.outsideKubeconfig(), address, ca, token); err != nil {
		return err
	}
	steps.done("the node is ready; KUBECONFIG=%s", l.outsideKubeconfig())
	if err := json.NewEncoder(out).Encode(information{Folder: l.folder, Binaries: l.binaries, Kubeconfig: l.outsideKubeconfig()}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-inside.ended:
		return fmt.Errorf("the node ended by itself: %w", inside.err)
	}
}

// insideProcess is the first process of the node's namespaces.
type insideProcess struct {
	command *exec.Cmd
	ready   chan struct{}
	// ended is closed when every process of the namespaces has ended; err is valid
	// from then on.
	ended chan struct{}
	err   error
}

// startInside runs this program again, in namespaces of its own.
func startInside(l layout, log io.Writer) (*insideProcess, error) {
	p := &insideProcess{
		command: exec.Command("/proc/self/exe", "inside", l.folder, l.binaries),
		ready:   make(chan struct{}), ended: make(chan struct{}),
	}
	p.command.Stderr = log
	p.command.Env = append(os.Environ(), "PATH="+l.binaries+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p.command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL, Setpgid: true,
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// The signal at the parent's death follows the thread that started the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err != nil {
			return
		}
		if lines := bufio.NewScanner(output); lines.Scan() && lines.Text() == ready {
			close(p.ready)
		}
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, <-started
}

// wait returns when the node is ready.
func (p *insideProcess) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-p.ready:
		return nil
	case <-p.ended:
		return fmt.Errorf("the node did not start: %w", p.err)
	case <-ctx.Done():
		return fmt.Errorf("the node did not start: %w", ctx.Err())
	}
}

// kill ends everything inside. The kernel reports the first process of a PID
// namespace as ended only when all others are gone.
func (p *insideProcess) kill() {
	_ = p.command.Process.Kill() // it fails only where it has ended
	<-p.ended
}
