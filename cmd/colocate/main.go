// Command colocate builds definitions from a role manifest, serves the admission
// webhook that puts colocated containers into pods, and does the same offline.
package main

import (
	"os"
)

// Set by the linker: see LDFLAGS in the Makefile.
var (
	version = "dev"
	commit  = "unknown"
	date    = "unknown"
)

func main() {
	p := program{
		in:      os.Stdin,
		out:     os.Stdout,
		err:     os.Stderr,
		version: buildInfo{Version: version, Commit: commit, Date: date},
		color:   isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "",
		errTTY:  isTerminal(os.Stderr) && os.Getenv("NO_COLOR") == "",
	}
	os.Exit(p.run(os.Args[1:]))
}
