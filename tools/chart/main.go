// Command chart writes the templates of the Helm chart from the rendered manifests,
// so that the chart cannot come to say anything else:
//
//	chart -out manifests/chart/templates
//
// It compares what every set of components renders. What all sets have alike is
// written as it is; what depends on a component is put between {{ if }} and
// {{ end }}; and the few fields that installations want otherwise, listed in
// settings.go, take their value from values.yaml. The other files of the chart are
// written by hand.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"colocate.dev/colocate/manifests"
)

const header = "{{- /* Written by `make generate` from the rendered manifests; changes here are lost. */ -}}\n"

func main() {
	out := flag.String("out", "manifests/chart/templates", "folder to write to; other YAML files in it are removed")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

// run makes everything before it writes anything.
func run(out string) error {
	files, err := templates(manifests.Components(), manifests.Render)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(out, "*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, kept := files[filepath.Base(path)]; !kept {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// templates gives file names with their contents: one file for every kind, with
// its objects in alphabetical order. render gives the YAML stream of a set of
// components.
func templates(components []string, render func(...string) ([]byte, error)) (map[string]string, error) {
	found, err := variants(components, render)
	if err != nil {
		return nil, err
	}
	w := &writer{components: components, settings: settings(), used: map[string]bool{}}
	files := map[string]string{}
	everything := make([]choice, 1<<len(components))
	for i := range everything {
		everything[i].set = i
	}
	for _, id := range slices.SortedFunc(maps.Keys(found), identity.compare) {
		lines, err := w.object(id.kind, found[id], everything)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", id.kind, id.name, err)
		}
		name := strings.ToLower(id.kind) + ".yaml"
		if files[name] == "" {
			files[name] = header
		}
		files[name] += strings.Join(lines, "\n") + "\n"
	}
	return files, w.unused()
}
