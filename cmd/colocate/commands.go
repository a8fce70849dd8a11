package main

import "github.com/spf13/cobra"

// commands are all subcommands, each in the file of its name.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		p.buildCommand(),
		p.validateCommand(),
		p.injectCommand(),
		p.explainCommand(),
		p.serveCommand(),
		p.checkCommand(),
		p.statusCommand(),
		p.installCommand(),
		p.uninstallCommand(),
		p.schemaCommand(),
		p.referenceCommand(),
		p.versionCommand(),
	}
}
