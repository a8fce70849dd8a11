// Command kustomize renders kustomizations of this repository with the library
// that kubectl uses, so that nobody needs a kustomize binary:
//
//	kustomize FOLDER
//
// prints the YAML of the kustomization in FOLDER. A failure exits with 1.
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kustomize FOLDER")
		os.Exit(2)
	}
	text, err := render(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "kustomize:", err)
		os.Exit(1)
	}
	os.Stdout.Write(text)
}

// render gives the YAML stream of one kustomization, in kustomize's own order.
func render(folder string) ([]byte, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, fmt.Errorf("render %q: %w", folder, err)
	}
	return resources.AsYaml()
}
