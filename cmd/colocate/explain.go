package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/workload"
)

type explainCommand struct {
	*program
	definitionFlags
	files []string
	// seen and failed say whether there was an object, and one that is refused.
	seen, failed bool
}

func (p *program) explainCommand() *cobra.Command {
	e := &explainCommand{program: p}
	c := &cobra.Command{
		Use:   "explain -f FILE (--manifest FILE | --definitions FILE)",
		Short: "Say rule by rule what the webhook decides about each pod, and why",
		Long: `Say for every pod and pod template of the files which rules were passed, which one
decided, and what to do where the pod is refused; and print the patch. Nothing is
changed. Exit code 1 where a pod is refused.`,
		Example: "  colocate explain -f deployment.yaml --manifest role-manifest.yml",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return e.run() },
	}
	e.definitionFlags.add(c)
	c.Flags().StringArrayVarP(&e.files, "filename", "f", nil, "`file` or folder with Kubernetes objects; - is stdin; repeatable")
	return c
}

func (e *explainCommand) run() error {
	if len(e.files) == 0 {
		return usagef("say what to explain: -f FILE")
	}
	if err := e.checkStdin(e.files...); err != nil {
		return err
	}
	snapshot, err := e.load(e.program)
	if err != nil {
		return err
	}
	err = e.eachFile(e.files, func(name string, r io.Reader) error {
		return workload.Each(r, name, func(o workload.Object, err error) error {
			e.seen = true
			if err != nil {
				e.failed = true
				fmt.Fprintf(e.err, "%v\n", err)
				return nil
			}
			e.object(snapshot, &o)
			return nil
		})
	})
	switch {
	case err == nil && e.failed:
		return errFaults
	case err == nil && !e.seen:
		fmt.Fprintln(e.err, nothingFound(e.files))
	}
	return err
}

func (e *explainCommand) object(snapshot *injector.Snapshot, o *workload.Object) {
	fmt.Fprintf(e.out, "%s:%d: %s\n", o.Source, o.Line, nameOf(o))
	var pod injector.Pod
	if err := o.Pod(&pod); err != nil {
		e.failed = true
		fmt.Fprintf(e.out, "  refused: %v (%s)\n", err, injector.ReasonUnreadablePod)
		return
	}
	d, steps := snapshot.Explain(&pod, injector.Creation())
	for _, s := range steps {
		switch {
		case s.Reason == "":
			fmt.Fprintf(e.out, "  yes  %s\n", s.Rule)
		case d.Outcome == injector.Injected:
			fmt.Fprintf(e.out, "  =>   %s\n", s.Rule)
		default:
			fmt.Fprintf(e.out, "  no   %s\n", s.Rule)
		}
	}
	e.failed = e.failed || !d.Allowed()
	info, _ := injector.Describe(d.Reason)
	message := d.Message
	if message == "" {
		message = info.Means
	}
	fmt.Fprintf(e.out, "  %s (%s): %s\n", d.Outcome, d.Reason, message)
	if info.Remedy != "" && !strings.Contains(message, info.Remedy) && d.Outcome != injector.Injected {
		fmt.Fprintf(e.out, "  what to do: %s\n", info.Remedy)
	}
	for _, w := range append(o.Warnings, d.Warnings...) {
		fmt.Fprintf(e.out, "  warning: %s\n", strings.TrimPrefix(w, "colocate: "))
	}
	if d.Patches() {
		fmt.Fprintf(e.out, "  patch: %s\n", d.AppendPatch(nil))
	}
}
