// Package process runs the programs that the suites need, so that none outlives
// its owner, however that ends.
package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// ErrPortTaken is the failure after which other ports are worth a try.
var ErrPortTaken = errors.New("a port was taken meanwhile")

// Process is one running program, the leader of a process group of its own: a
// Ctrl-C at the terminal does not reach it before its owner stops it in order.
type Process struct {
	command *exec.Cmd
	logPath string
	// done is closed when the program has ended; err is valid from then on.
	done chan struct{}
	err  error
}

// Start starts a program whose output is appended to a file.
func Start(program, logPath string, flags ...string) (*Process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	p := &Process{command: exec.Command(program, flags...), logPath: logPath, done: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = log, log
	p.command.Env = withoutProxies(os.Environ())
	p.command.SysProcAttr = attributes()
	started := make(chan error)
	go func() {
		// The kernel's signal at the parent's death follows the thread that started
		// the program, not the process: keep that thread until the program has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer log.Close() //nolint:errcheck // the program writes to it, we do not
		err := p.command.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.command.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Kill ends the program and everything that it started, and waits for it. A nil
// process has ended already.
func (p *Process) Kill() {
	if p == nil {
		return
	}
	select {
	case <-p.done:
	default:
		// A negative number means the group. It fails only where the program has just
		// ended by itself.
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
		<-p.done
	}
}

// Terminate asks the program to end, as the kubelet does, waits for it and returns
// the error of its exit.
func (p *Process) Terminate() error {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended already
	<-p.done
	return p.err
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Failure describes a program that ended while it was expected to run.
func (p *Process) Failure(name string) error {
	tail := p.Tail()
	err := fmt.Errorf("%s: ended early (%w); its last lines:\n%s", name, p.err, tail)
	if strings.Contains(tail, "address already in use") {
		return errors.Join(ErrPortTaken, err)
	}
	return err
}

// Tail gives the last lines of the program's output.
func (p *Process) Tail() string {
	const lines = 15
	text, err := os.ReadFile(p.logPath)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// withoutProxies drops the proxy variables: webhooks and aggregated servers of
// tests are on this machine.
func withoutProxies(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasSuffix(strings.ToUpper(name), "_PROXY")
	})
}

// PID is the process id, also after the program has ended.
func (p *Process) PID() int {
	if p == nil {
		return 0
	}
	return p.command.Process.Pid
}
