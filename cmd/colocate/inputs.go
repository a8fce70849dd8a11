package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/injector/rolemanifest"
)

// imageFlags say where the images of colocated containers come from, besides
// the manifest; every command that reads a manifest has them.
type imageFlags struct {
	images   []string
	file     string
	template string
	set      []string
}

func (f *imageFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.images, "image", nil, "image of one colocated container, `role=ref`; repeatable")
	c.Flags().StringVar(&f.file, "images", "", "`file` with lines \"role: image\"")
	c.Flags().StringVar(&f.template, "image-template", "", "`pattern` for images that nothing else names, such as 'registry.example.org/{prefix}-{role}:{tag}'")
	c.Flags().StringArrayVar(&f.set, "set", nil, "value for a placeholder of --image-template, `name=value`; repeatable")
}

// definitionFlags say where definitions come from: a manifest or ConfigMaps.
type definitionFlags struct {
	imageFlags
	manifest    string
	definitions string
}

func (f *definitionFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.manifest, "manifest", "m", "", "role manifest `file`; - is stdin")
	c.Flags().StringVarP(&f.definitions, "definitions", "d", "", "`file` with the ConfigMaps that colocate build writes, or a role manifest; - is stdin")
	f.imageFlags.add(c)
}

// load reads and compiles the definitions. What is wrong with them goes to
// stderr; errors end the command, rejected roles do not: their pods are refused.
func (f *definitionFlags) load(p *program) (*injector.Snapshot, error) {
	defs, err := f.read(p)
	if err != nil {
		return nil, err
	}
	snapshot, faults := compile(defs, nil)
	p.report(p.err, faults)
	return snapshot, nil
}

// checkStdin refuses stdin for more than one of the definitions, the images and
// the other inputs of a command.
func (f *definitionFlags) checkStdin(others ...string) error {
	return oneStdin(append([]string{f.manifest, f.definitions, f.file}, others...)...)
}

// compile compiles definitions and returns what was wrong with them when they were
// read, followed by what compiling finds; that a document cannot be read is
// not said again.
func compile(defs []injector.Definition, faults []injector.Fault) (*injector.Snapshot, []injector.Fault) {
	snapshot, more := injector.Compile(defs)
	unreadable := map[string]bool{}
	for _, d := range defs {
		unreadable[d.Name] = unreadable[d.Name] || d.Unreadable != ""
	}
	for _, f := range more {
		if f.Reason != injector.ReasonUnreadableDefinition || !unreadable[f.Name] {
			faults = append(faults, f)
		}
	}
	return snapshot, faults
}

func (f *definitionFlags) read(p *program) ([]injector.Definition, error) {
	if err := f.checkStdin(); err != nil {
		return nil, err
	}
	switch {
	case f.manifest != "" && f.definitions != "":
		return nil, usagef("give --manifest or --definitions, not both")
	case f.manifest != "":
		data, name, err := p.read(f.manifest)
		if err != nil {
			return nil, err
		}
		return f.fromManifest(p, name, data)
	case f.definitions != "":
		data, name, err := p.read(f.definitions)
		if err != nil {
			return nil, err
		}
		if !definition.IsConfigMap(data) {
			return f.fromManifest(p, name, data)
		}
		defs, faults := definition.Parse(data, name)
		if p.report(p.err, faults); len(defs) == 0 && len(faults) > 0 {
			return nil, errFaults
		}
		return defs, nil
	}
	return nil, usagef("say where the definitions are: --manifest FILE or --definitions FILE")
}

func (f *definitionFlags) fromManifest(p *program, name string, data []byte) ([]injector.Definition, error) {
	result, err := f.imageFlags.readManifest(p, name, data)
	if err != nil {
		return nil, err
	}
	problems := withoutNotes(result.Diagnostics)
	if err := rolemanifest.Text(p.err, problems, data, p.errTTY); err != nil {
		return nil, err
	}
	if problems.Failed(false) {
		return nil, errFaults
	}
	return result.Definitions, nil
}

// withoutNotes keeps errors and warnings; notes are for validate and build.
func withoutNotes(ds rolemanifest.Diagnostics) (out rolemanifest.Diagnostics) {
	for _, d := range ds {
		if d.Severity != rolemanifest.Note {
			out = append(out, d)
		}
	}
	return out
}

// readManifest reads a manifest with the images of the flags.
func (f *imageFlags) readManifest(p *program, name string, data []byte) (rolemanifest.Result, error) {
	images, err := f.resolve(p)
	if err != nil {
		return rolemanifest.Result{}, err
	}
	return rolemanifest.Read(name, data, rolemanifest.Options{Images: images}), nil
}

func (f *imageFlags) resolve(p *program) (images rolemanifest.Images, err error) {
	if images.Explicit, err = pairs("--image", f.images); err != nil {
		return images, err
	}
	if images.Variables, err = pairs("--set", f.set); err != nil {
		return images, err
	}
	images.Template = f.template
	if f.file == "" {
		return images, nil
	}
	data, name, err := p.read(f.file)
	if err != nil {
		return images, err
	}
	if images.File, err = rolemanifest.ParseImagesFile(data); err != nil {
		return images, fmt.Errorf("%s: %w", name, err)
	}
	return images, nil
}

// report prints the faults of definitions, a line each.
func (p *program) report(w io.Writer, faults []injector.Fault) {
	for _, f := range faults {
		severity := "error"
		if f.Warning {
			severity = "warning"
		}
		fmt.Fprintf(w, "%s: %s: %s (%s)\n", f.Origin, severity, f.Message, f.Reason)
	}
}
