// Command gen writes what is generated from the table of keys: the reference of
// the role manifest and its JSON Schema. Run it at the top of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"colocate.dev/colocate/injector/rolemanifest"
)

func main() {
	for name, data := range map[string][]byte{
		"role-manifest.md":          rolemanifest.Docs(),
		"role-manifest.schema.json": rolemanifest.Schema(),
	} {
		if err := os.WriteFile(filepath.Join("docs", name), data, 0o644); err != nil {
			fmt.Fprintf(os.Stderr, "generate: %v: run it at the top of the repository\n", err)
			os.Exit(1)
		}
	}
}
