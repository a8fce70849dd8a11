// Command gen writes what is generated from the table of keys: the reference of
// the role manifest and its JSON Schema.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"colocate.dev/colocate/injector/rolemanifest"
)

func main() {
	docs := flag.String("docs", "docs", "folder that the documents are written to")
	flag.Parse()
	for name, data := range map[string][]byte{
		"role-manifest.md":          rolemanifest.Docs(),
		"role-manifest.schema.json": rolemanifest.Schema(),
	} {
		if err := os.WriteFile(filepath.Join(*docs, name), data, 0o644); err != nil {
			fmt.Fprintf(os.Stderr, "generate: %v\n", err)
			os.Exit(1)
		}
	}
}
