// Command kustomize renders the manifests of this repository with the library
// that kubectl uses, so that neither people nor the product need a kustomize
// binary:
//
//	kustomize -manifests manifests -out manifests/rendered
//
// It writes core.yaml, which is the base, and for every component one of two
// things. A component that only adds objects becomes NAME.yaml, those objects. One
// that changes the base's objects becomes core+NAME.yaml, the base as it is then;
// several of those become one file for each set of them, with the names in
// alphabetical order. So any choice of components is one core file followed by the
// files of the components that add.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const header = "# Rendered by `make generate` from %s; changes here are lost.\n"

func main() {
	manifests := flag.String("manifests", "manifests", "folder of base and components")
	out := flag.String("out", "manifests/rendered", "folder to write to; other YAML files in it are removed")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*manifests, *out); err != nil {
		fmt.Fprintln(os.Stderr, "kustomize:", err)
		os.Exit(1)
	}
}

// run renders everything before it writes anything.
func run(manifests, out string) error {
	files, err := renderAll(manifests)
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
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// renderAll gives file names with their contents.
func renderAll(manifests string) (map[string][]byte, error) {
	names, err := components(manifests)
	if err != nil {
		return nil, err
	}
	base, err := render(manifests)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var changing []string
	for _, name := range names {
		whole, err := render(manifests, name)
		if err != nil {
			return nil, err
		}
		added, changed, err := difference(base, whole)
		if err != nil {
			return nil, err
		}
		if changed {
			changing = append(changing, name)
		} else if files[name+".yaml"], err = text(added, "components/"+name); err != nil {
			return nil, err
		}
	}
	for _, set := range subsets(changing) {
		core, err := render(manifests, set...)
		if err != nil {
			return nil, err
		}
		name := strings.Join(append([]string{"core"}, set...), "+") + ".yaml"
		source := strings.Join(append([]string{"base"}, set...), ", ")
		if files[name], err = text(core, source); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// components are the names of the folders in components, sorted.
func components(manifests string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(manifests, "components", "*", "kustomization.yaml"))
	if err != nil {
		return nil, err
	}
	for i, path := range found {
		found[i] = filepath.Base(filepath.Dir(path))
	}
	slices.Sort(found)
	return found, nil
}

// render gives the base with the named components.
func render(manifests string, components ...string) (resmap.ResMap, error) {
	// The kustomization that puts them together lies outside the repository, so that
	// an interrupted run leaves nothing in it.
	dir, err := os.MkdirTemp("", "kustomize-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder left in the temporary one harms nobody
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if manifests, err = filepath.Abs(manifests); err != nil {
		return nil, err
	}
	if manifests, err = filepath.EvalSymlinks(manifests); err != nil {
		return nil, err
	}
	relative, err := filepath.Rel(dir, manifests)
	if err != nil {
		return nil, err
	}
	lines := []string{"resources:", "- " + relative + "/base"}
	if len(components) > 0 {
		lines = append(lines, "components:")
	}
	for _, name := range components {
		lines = append(lines, "- "+relative+"/components/"+name)
	}
	kustomization := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(kustomization), 0o600); err != nil {
		return nil, err
	}
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, fmt.Errorf("base with %q: %w", components, err)
	}
	return rendered, nil
}

// difference gives the objects of whole that base lacks, and whether whole lacks
// or changes one that base has.
func difference(base, whole resmap.ResMap) (added resmap.ResMap, changed bool, err error) {
	added = resmap.New()
	for _, object := range whole.Resources() {
		before, err := base.GetByCurrentId(object.CurId())
		if err != nil {
			if err := added.Append(object); err != nil {
				return nil, false, err
			}
			continue
		}
		was, err := before.AsYAML()
		if err != nil {
			return nil, false, err
		}
		is, err := object.AsYAML()
		if err != nil {
			return nil, false, err
		}
		changed = changed || string(was) != string(is)
	}
	changed = changed || whole.Size()-added.Size() != base.Size()
	return added, changed, nil
}

// subsets gives all sets of names, the empty one first, each in the names' order.
func subsets(names []string) [][]string {
	sets := [][]string{{}}
	for _, name := range names {
		for _, set := range slices.Clone(sets) {
			sets = append(sets, append(slices.Clone(set), name))
		}
	}
	return sets
}

// text is the YAML stream of objects under a line that says where they are from.
func text(objects resmap.ResMap, source string) ([]byte, error) {
	yaml, err := objects.AsYaml()
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, header, "manifests: "+source), yaml...), nil
}
