package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"colocate.dev/colocate/manifests"
)

type installCommand struct {
	*program
	components       []string
	image, namespace string
}

func (p *program) installCommand() *cobra.Command {
	i := &installCommand{program: p}
	c := &cobra.Command{
		Use:   "install",
		Short: "Print the manifests of an installation",
		Long: `Print the Kubernetes manifests of an installation of this version, for kubectl.
Nothing is sent to a cluster. Components: ` + strings.Join(manifests.Components(), ", ") + `.`,
		Example: "  colocate install --image registry.example.org/colocate:1.0 --component high-availability | kubectl apply --server-side -f -",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return i.run() },
	}
	f := c.Flags()
	f.StringSliceVar(&i.components, "component", nil, "`name` of a component to add; repeatable")
	f.StringVar(&i.image, "image", manifests.Image, "image of the webhook")
	f.StringVarP(&i.namespace, "namespace", "n", manifests.Namespace, "namespace to install into; it is part of what is printed")
	return c
}

func (i *installCommand) run() error {
	if err := namespaceFlag(i.namespace); err != nil {
		return err
	}
	if i.image == "" || strings.ContainsAny(i.image, " \t\r\n") || strings.Contains(i.image, "://") {
		return usagef("--image is %q: write registry/path:tag", i.image)
	}
	for _, name := range i.components {
		if !slices.Contains(manifests.Components(), name) {
			return usagef("--component is %q; there are %s", name, strings.Join(manifests.Components(), ", "))
		}
	}
	text, err := installation(i.namespace, i.image, i.components...)
	if err != nil {
		return err
	}
	if i.image == manifests.Image {
		fmt.Fprintf(i.err, "colocate: note: the image is %s, which is in no registry: give --image, or load it onto the nodes\n", manifests.Image)
	}
	_, err = i.out.Write(text)
	return err
}

func namespaceFlag(name string) error {
	if faults := validation.IsDNS1123Label(name); len(faults) > 0 {
		return usagef("--namespace is %q: %s", name, faults[0])
	}
	return nil
}

// installation renders the base with components for a namespace and an image.
func installation(namespace, image string, components ...string) ([]byte, error) {
	text, err := manifests.Render(components...)
	if err != nil || namespace == manifests.Namespace && image == manifests.Image {
		return text, err
	}
	var out bytes.Buffer
	decoder, encoder := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the embedded manifests cannot be read: %w", err)
		}
		relocate(&document, namespace, image)
		if err := encoder.Encode(&document); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), encoder.Close()
}

// relocate replaces the namespace wherever a value names it: as a field, in a
// selector, in a DNS name, in a query. Keys stay; so does every longer word that
// the name is a part of.
func relocate(n *yaml.Node, namespace, image string) {
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 0:
		case n.Kind == yaml.MappingNode && n.Content[i-1].Value == "image" && child.Value == manifests.Image:
			child.Value = image
		default:
			relocate(child, namespace, image)
		}
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Value = replaceWord(n.Value, manifests.Namespace, namespace)
	}
}

// replaceWord replaces a word of the letters of DNS names where neither side of it
// goes on with such a letter.
func replaceWord(s, word, by string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, word)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(word)
		b.WriteString(s[:i])
		if i > 0 && inName(s[i-1]) || end < len(s) && inName(s[end]) {
			b.WriteString(word)
		} else {
			b.WriteString(by)
		}
		s = s[end:]
	}
}

func inName(c byte) bool {
	return c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
