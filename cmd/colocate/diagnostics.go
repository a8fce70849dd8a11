package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector/rolemanifest"
)

// diagnosticFlags say how findings are printed and what they lead to.
type diagnosticFlags struct {
	format  string
	strict  bool
	verbose bool
}

func (f *diagnosticFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "text", "of the findings: text, json or github (workflow commands)")
	c.Flags().BoolVar(&f.strict, "strict", false, "treat warnings as errors")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also say which image was taken, and why")
}

// check refuses a format that there is not.
func (f *diagnosticFlags) check() error {
	if f.format != "text" && f.format != "json" && f.format != "github" {
		return usagef(`--format is %q; it can be "text", "json" or "github"`, f.format)
	}
	return nil
}

// print writes the findings of one file.
func (f *diagnosticFlags) print(p *program, w io.Writer, ds rolemanifest.Diagnostics, source []byte) error {
	switch f.format {
	case "json":
		return rolemanifest.JSON(w, ds)
	case "github":
		return rolemanifest.GitHub(w, ds)
	}
	return rolemanifest.Text(w, ds, source, p.colorOn(w))
}

func (p *program) colorOn(w io.Writer) bool {
	return w == p.err && p.errTTY || w == p.out && p.color
}

// printImages says on stderr which image each colocated container has, and why.
func (f *diagnosticFlags) printImages(p *program, name string, choices []rolemanifest.ImageChoice) {
	if !f.verbose {
		return
	}
	for _, c := range choices {
		fmt.Fprintf(p.err, "%s: colocated container %q has image %s, from %s\n", name, c.Role, c.Image, c.Source)
	}
}
