package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/injector/rolemanifest"
)

type validateCommand struct {
	*program
	diagnosticFlags
	imageFlags
}

func (p *program) validateCommand() *cobra.Command {
	v := &validateCommand{program: p}
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check role manifests, or definitions ConfigMaps",
		Long: `Check role manifests and print everything that is wrong with them, with file,
line and column. A file that holds definitions ConfigMaps is checked as the webhook
checks it when it is loaded. Nothing else is printed.`,
		Args: someArgs("role manifests"),
		RunE: func(_ *cobra.Command, args []string) error { return v.run(args) },
	}
	v.diagnosticFlags.add(c)
	v.imageFlags.add(c)
	return c
}

func (v *validateCommand) run(files []string) error {
	failed := false
	var all rolemanifest.Diagnostics
	for _, file := range files {
		data, name, err := v.read(file)
		if err != nil {
			fmt.Fprintf(v.err, "colocate: %v\n", err)
			failed = true
			continue
		}
		if definition.IsConfigMap(data) {
			failed = v.configMaps(name, data) || failed
			continue
		}
		result, err := v.readManifest(name, data)
		if err != nil {
			return err
		}
		failed = failed || result.Diagnostics.Failed(v.strict)
		if v.format == "json" {
			all = append(all, result.Diagnostics...)
		} else if err := v.print(v.program, v.out, result.Diagnostics, data); err != nil {
			return err
		}
		v.printImages(v.program, name, result.Images)
	}
	if v.format == "json" {
		if err := rolemanifest.JSON(v.out, all); err != nil {
			return err
		}
	}
	if failed {
		return errFaults
	}
	return nil
}

// configMaps checks definitions the way the webhook does, and reports whether
// one cannot be used.
func (v *validateCommand) configMaps(name string, data []byte) bool {
	defs, faults := definition.Parse(data, name)
	_, more := injector.Compile(defs)
	failed := false
	for _, f := range append(faults, more...) {
		failed = failed || !f.Warning || v.strict
	}
	v.report(append(faults, more...))
	return failed
}
