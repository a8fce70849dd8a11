//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// progressEvery is the time between two lines that say a build is alive.
const progressEvery = 15 * time.Second

// build is one program that is not up to date.
type build struct {
	program program
	// folder is the module's, file the program's, stamp the name of the file that
	// says what file was built from.
	folder, file, stamp string
	// inputs is the stamp's content after the build.
	inputs string
}

// outOfDate gives the programs whose file or stamp is missing, or whose stamp
// names other inputs than today's.
func outOfDate(wanted []program, modules, out string) ([]build, error) {
	var stale []build
	for _, program := range wanted {
		b := build{
			program: program,
			folder:  filepath.Join(modules, program.module),
			file:    filepath.Join(out, program.name),
			stamp:   filepath.Join(out, ".stamps", strings.ReplaceAll(program.name, "/", "-")),
		}
		inputs, err := inputsOf(program, b.folder)
		if err != nil {
			return nil, err
		}
		b.inputs = inputs
		recorded, err := os.ReadFile(b.stamp)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, err := os.Stat(b.file); err != nil || string(recorded) != inputs {
			stale = append(stale, b)
		}
	}
	return stale, nil
}

// inputsOf is a hash over everything that decides what a program is: the module's
// files, the flags and the compiler.
func inputsOf(program program, folder string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOARCH, program.pkg, program.flags)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, entry.Name(), len(text))
		hash.Write(text)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// run compiles into a file beside the final one and renames it, so that no
// half-written program is ever found under its name.
func (b build) run(ctx context.Context, log io.Writer) error {
	for _, folder := range []string{filepath.Dir(b.file), filepath.Dir(b.stamp)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	unfinished := b.file + ".unfinished"
	defer os.Remove(unfinished) //nolint:errcheck // it is gone where the build succeeded
	if err := b.compile(ctx, unfinished, log); err != nil {
		return err
	}
	if err := os.Rename(unfinished, b.file); err != nil {
		return err
	}
	return os.WriteFile(b.stamp, []byte(b.inputs), 0o644)
}

// compile runs the Go command and reports from time to time how far it is.
func (b build) compile(ctx context.Context, file string, log io.Writer) error {
	args := append([]string{"build", "-v", "-trimpath", "-o", file}, b.program.flags...)
	command := exec.CommandContext(ctx, "go", append(args, b.program.pkg)...)
	command.Dir = b.folder
	// The programs run on this machine, whatever the caller builds for.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOOS=", "GOARCH=")
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.WaitDelay = 10 * time.Second
	output, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	var compiled atomic.Int64
	done := make(chan struct{})
	go report(b.program.name, &compiled, done, log)
	complaints := read(output, &compiled)
	err = command.Wait()
	close(done)
	if ctx.Err() != nil {
		return fmt.Errorf("%s: interrupted; what is compiled stays in Go's cache", b.program.name)
	}
	if err != nil {
		return fmt.Errorf("%s: go build: %w\n%s", b.program.name, err, complaints)
	}
	return nil
}

// read counts the packages that `go build -v` names, one a line, and gives back
// the other lines, which are the compiler's complaints.
func read(output io.Reader, compiled *atomic.Int64) (complaints string) {
	var kept []string
	for lines := bufio.NewScanner(output); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
		case strings.ContainsAny(line, " \t"):
			kept = append(kept, line)
		default:
			compiled.Add(1)
		}
	}
	return strings.Join(kept, "\n")
}

// report prints a line now and then until done is closed.
func report(name string, compiled *atomic.Int64, done <-chan struct{}, log io.Writer) {
	started, ticks := time.Now(), time.NewTicker(progressEvery)
	defer ticks.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
			fmt.Fprintf(log, "      %s: %s, %d packages compiled\n", name, since(started), compiled.Load())
		}
	}
}
