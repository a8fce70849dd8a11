package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/workload"
)

type injectCommand struct {
	*program
	definitionFlags
	files  []string
	output string
	quiet  bool
	// seen and failed say whether there was an object, and one that is left out.
	seen, failed bool
}

func (p *program) injectCommand() *cobra.Command {
	j := &injectCommand{program: p}
	c := &cobra.Command{
		Use:   "inject -f FILE (--manifest FILE | --definitions FILE)",
		Short: "Inject into pods and workloads offline, as the webhook would",
		Long: `Print the documents of the files with the colocated containers added to every pod
and pod template that asks for a role: Pod, Deployment, StatefulSet, DaemonSet,
ReplicaSet, Job, CronJob, and List of these. Everything else passes through, byte
for byte. What happened to each object is said on stderr; a refused one is left
out of the output, and the exit code is 1 then.`,
		Example: `  colocate inject -f deployment.yaml --manifest role-manifest.yml
  kubectl get deployment web -o yaml | colocate inject -f - --definitions configmap.yaml -o diff`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return j.run(c.Context()) },
	}
	j.definitionFlags.add(c)
	c.Flags().StringArrayVarP(&j.files, "filename", "f", nil, "`file` or folder with Kubernetes objects; - is stdin; repeatable")
	c.Flags().StringVarP(&j.output, "output", "o", "yaml", "yaml, json, patch (RFC 6902, a line an object) or diff")
	c.Flags().BoolVarP(&j.quiet, "quiet", "q", false, "say nothing about objects that are left alone or injected")
	return c
}

func (j *injectCommand) run(ctx context.Context) error {
	if len(j.files) == 0 {
		return usagef("say what to inject into: -f FILE")
	}
	if err := j.checkStdin(j.files...); err != nil {
		return err
	}
	format, err := workload.ParseFormat(j.output)
	if err != nil {
		return usageError{err}
	}
	snapshot, err := j.load(j.program)
	if err != nil {
		return err
	}
	w := &wholeWrites{to: j.out}
	out := workload.NewOutput(w, format, j.color)
	options := workload.Options{
		Plan:   func(pod *injector.Pod) injector.Decision { return snapshot.Plan(pod, injector.Creation()) },
		Report: j.said,
	}
	err = j.eachFile(j.files, func(name string, r io.Reader) error {
		return workload.Inject(ctx, r, name, out, options)
	})
	if flushErr := w.flush(); err == nil {
		err = flushErr
	}
	switch {
	case err == nil && j.failed:
		return errFaults
	case err == nil && !j.seen && !j.quiet:
		fmt.Fprintln(j.err, nothingFound(j.files))
	}
	return err
}

// nothingFound is said where no object could have been injected into.
func nothingFound(files []string) string {
	return fmt.Sprintf("colocate: %s: no pod and no workload in it: nothing to do", strings.Join(files, ", "))
}

// said reports on one object.
func (j *injectCommand) said(r workload.Result) {
	j.seen = true
	at := fmt.Sprintf("%s:%d", r.Source, r.Line)
	if r.Err != nil {
		j.failed = true
		fmt.Fprintf(j.err, "%v\n", r.Err)
		return
	}
	who := at + ": " + nameOf(&r.Object)
	d := &r.Decision
	switch {
	case d.Outcome == injector.Injected && !j.quiet:
		fmt.Fprintf(j.err, "%s: %s\n", who, injectedText(d, r.Added))
	case d.Outcome == injector.Untouched && !j.quiet:
		fmt.Fprintf(j.err, "%s: left alone: %s\n", who, whyNot(d))
	case !d.Allowed():
		j.failed = true
		fmt.Fprintf(j.err, "%s: refused: %s (%s)\n", who, d.Message, d.Reason)
	}
	for _, warning := range append(r.Warnings, d.Warnings...) {
		fmt.Fprintf(j.err, "%s: warning: %s\n", who, strings.TrimPrefix(warning, "colocate: "))
	}
}

func injectedText(d *injector.Decision, added []string) string {
	if len(added) == 0 {
		return fmt.Sprintf("nothing to add for role %q (%s)", d.Role, d.Reason)
	}
	return fmt.Sprintf("injected role %q: %d additions (%s)", d.Role, len(added), d.Reason)
}

func whyNot(d *injector.Decision) string {
	if d.Message != "" {
		return fmt.Sprintf("%s (%s)", strings.TrimSuffix(d.Message, "."), d.Reason)
	}
	info, _ := injector.Describe(d.Reason)
	means := strings.TrimSuffix(info.Means, ".")
	return fmt.Sprintf("%s%s (%s)", strings.ToLower(means[:min(1, len(means))]), means[min(1, len(means)):], d.Reason)
}

func nameOf(o *workload.Object) string {
	name := o.Name
	if name == "" {
		name = "(no name)"
	}
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return o.Kind + " " + name
}
