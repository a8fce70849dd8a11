package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// buildInfo is what the linker was told about this binary.
type buildInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	// Date is the commit's, RFC 3339 in UTC.
	Date string `json:"date"`
}

func (p *program) versionCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and date of this binary",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "text":
				fmt.Fprintf(p.out, "colocate %s (commit %s, %s, %s %s/%s)\n", p.version.Version, p.version.Commit, p.version.Date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return nil
			case "json":
				e := json.NewEncoder(p.out)
				e.SetIndent("", "  ")
				return e.Encode(p.version)
			}
			return usagef(`--output is %q; it can be "text" or "json"`, format)
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "text", "text or json")
	return c
}
