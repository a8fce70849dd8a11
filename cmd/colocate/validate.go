package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/injector/rolemanifest"
)

type validateCommand struct {
	*program
	diagnosticFlags
	imageFlags
	// all are the findings of every file, for JSON: one array.
	all rolemanifest.Diagnostics
}

func (p *program) validateCommand() *cobra.Command {
	v := &validateCommand{program: p}
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check role manifests, or definitions ConfigMaps",
		Long: `Check role manifests and print everything that is wrong with them, with file,
line and column. A file that holds definitions ConfigMaps is checked as the webhook
checks it when it is loaded. Nothing else is printed.`,
		Example: `  colocate validate role-manifest.yml
  colocate validate --strict --format github role-manifest.yml`,
		Args: someArgs("role manifests"),
		RunE: func(_ *cobra.Command, args []string) error { return v.run(args) },
	}
	v.diagnosticFlags.add(c)
	v.imageFlags.add(c)
	return c
}

func (v *validateCommand) run(files []string) error {
	if err := v.check(); err != nil {
		return err
	}
	if err := oneStdin(append(slices.Clone(files), v.file)...); err != nil {
		return err
	}
	images, err := v.resolve(v.program)
	if err != nil {
		return err
	}
	failed := false
	for _, file := range files {
		data, name, err := v.read(file)
		if err != nil {
			fmt.Fprintf(v.err, "colocate: %v\n", err)
			failed = true
			continue
		}
		found, err := v.one(name, data, images)
		if err != nil {
			return err
		}
		failed = failed || found.Failed(v.strict)
	}
	if v.format == "json" {
		if err := rolemanifest.JSON(v.out, v.all); err != nil {
			return err
		}
	}
	if failed {
		return errFaults
	}
	return nil
}

// one checks one file and prints what it finds, but JSON, which is kept for the end.
func (v *validateCommand) one(name string, data []byte, images rolemanifest.Images) (rolemanifest.Diagnostics, error) {
	if definition.IsConfigMap(data) {
		defs, faults := definition.Parse(data, name)
		_, faults = compile(defs, faults)
		found := diagnosticsOf(faults, data)
		if v.format == "text" {
			v.report(v.out, faults) // a position may be one inside a key: no line to show
			return found, nil
		}
		return found, v.show(found, data)
	}
	result := rolemanifest.Read(name, data, rolemanifest.Options{Images: images})
	v.printImages(v.program, name, result.Images)
	return result.Diagnostics, v.show(result.Diagnostics, data)
}

func (v *validateCommand) show(found rolemanifest.Diagnostics, data []byte) error {
	if v.format == "json" {
		v.all = append(v.all, found...)
		return nil
	}
	return v.print(v.program, v.out, found, data)
}

// diagnosticsOf brings the faults of definitions into the form of a manifest's
// findings. Where a fault has no position in the file, it is that of its key.
func diagnosticsOf(faults []injector.Fault, data []byte) (out rolemanifest.Diagnostics) {
	for _, f := range faults {
		d := rolemanifest.Diagnostic{
			File: f.Origin.Source, Line: max(f.Origin.Line, 1), Column: max(f.Origin.Column, 1),
			Severity: rolemanifest.Error, Code: rolemanifest.Code(f.Reason), Message: f.Message,
		}
		if f.Warning {
			d.Severity = rolemanifest.Warning
		}
		if f.Origin.Key != "" {
			d.Path = fmt.Sprintf("data[%q]", f.Origin.Key)
			d.Line, d.Column = keyPosition(data, f.Origin.Key)
			if f.Origin.Line > 0 {
				d.Message = fmt.Sprintf("line %d, column %d of the key: %s", f.Origin.Line, f.Origin.Column, f.Message)
			}
		}
		out = append(out, d)
	}
	return out
}

// keyPosition is where a key of a ConfigMap stands in a file; the beginning where
// it cannot be found.
func keyPosition(data []byte, key string) (line, column int) {
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		trimmed := strings.TrimLeft(text, " ")
		if strings.HasPrefix(strings.TrimLeft(trimmed, `"'`), key) {
			return n, len(text) - len(trimmed) + 1
		}
	}
	return 1, 1
}
