// Package manifests holds the Kubernetes YAML of an installation, rendered from
// the kustomizations in this folder, so that the program needs no kustomize.
package manifests

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:generate go run -C ../tools/kustomize . -manifests ../../manifests -out ../../manifests/rendered
//go:generate go run ../tools/chart -out chart/templates

// rendered has a file core.yaml, one for every set of components that change the
// base (core+NAME+NAME.yaml), and one for every component that only adds to it
// (NAME.yaml).
//
//go:embed rendered/*.yaml
var rendered embed.FS

// What the rendered YAML says where an installation may want something else.
const (
	// Namespace is where everything is installed.
	Namespace = "colocate-system"
	// Image is the image of the Deployment, as `make image` names it.
	Image = "colocate:dev"
)

const core = "core"

// Components gives the names, sorted, of what can be installed with the base.
func Components() []string {
	found := map[string]bool{}
	for _, name := range names() {
		for _, part := range strings.Split(name, "+") {
			found[part] = true
		}
	}
	delete(found, core)
	return slices.Sorted(maps.Keys(found))
}

// Render gives the YAML stream of the base with the named components, in any
// order: first the namespace, last the webhook configurations of the base, then
// what components add. It fails for a name that Components does not give.
func Render(components ...string) ([]byte, error) {
	known := Components()
	changing, adding := []string{core}, []string{}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(components))) {
		switch {
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("component %q: unknown; there are %s", name, strings.Join(known, ", "))
		case slices.Contains(names(), name):
			adding = append(adding, name)
		default:
			changing = append(changing, name)
		}
	}
	var stream []byte
	for _, name := range append([]string{strings.Join(changing, "+")}, adding...) {
		text, err := rendered.ReadFile(path.Join("rendered", name+".yaml"))
		if err != nil {
			return nil, err
		}
		if len(stream) > 0 {
			stream = append(stream, "---\n"...)
		}
		stream = append(stream, text...)
	}
	return stream, nil
}

// names are those of the rendered files, without the ending.
func names() []string {
	found, err := fs.Glob(rendered, "rendered/*.yaml")
	if err != nil {
		return nil // only a malformed pattern errs
	}
	for i, name := range found {
		found[i] = strings.TrimSuffix(path.Base(name), ".yaml")
	}
	return found
}
