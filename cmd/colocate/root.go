package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Exit codes of every command.
const (
	exitFine   = 0 // warnings too
	exitFaults = 1 // faults in the input, or refusals
	exitUsage  = 2 // the command line itself
)

// program is the command line with the streams that it uses, so that tests run
// it as people do.
type program struct {
	in       io.Reader
	out, err io.Writer
	version  buildInfo
	// color and errTTY are true where out and err are terminals.
	color, errTTY bool
}

// errFaults ends a command whose findings have been printed already.
var errFaults = errors.New("faults were found")

// usageError is a fault of the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run executes one command line and returns the exit code.
func (p *program) run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	p.in = interruptible{ctx, p.in}
	root := p.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFaults):
		return exitFaults
	case errors.Is(err, syscall.EPIPE):
		return exitFaults // whoever read the output has seen enough
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(p.err, "colocate: interrupted")
		return exitFaults
	case errors.As(err, &usage):
		fmt.Fprintf(p.err, "colocate: %v\n", err)
		return exitUsage
	case strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(p.err, "colocate: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(p.err, "colocate: %v\n", err)
	return exitFaults
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "colocate",
		Short: "Put colocated containers into pods, as a role manifest says",
		Long: `colocate turns a role manifest into a ConfigMap of definitions (build), and
serves an admission webhook that reads them and adds to every pod which carries
the annotation colocate.dev/role the containers colocated with that role (serve).
Everything the webhook does can be done and explained offline (inject, explain).

Exit codes: 0 fine, also with warnings; 1 faults in the input or refused objects;
2 a wrong command line.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(p.commands()...)
	return root
}

// noArgs refuses positional arguments.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unknown command or argument %q for %q; see %s --help", args[0], c.CommandPath(), c.CommandPath())
	}
	return nil
}

// someArgs wants at least one argument, called what.
func someArgs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s: give %s, or - for stdin", c.CommandPath(), what)
		}
		return nil
	}
}

// oneArg wants exactly one argument, called what.
func oneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s: give exactly one %s, or - for stdin", c.CommandPath(), what)
		}
		return nil
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
