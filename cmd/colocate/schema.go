package main

import (
	"github.com/spf13/cobra"

	"colocate.dev/colocate/injector/rolemanifest"
)

func (p *program) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of role manifests, for editors",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.out.Write(rolemanifest.Schema())
			return err
		},
	}
}
