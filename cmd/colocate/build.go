package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// warnBytes is the size of a ConfigMap from which on a client-side kubectl apply
// comes near its limit of 262,144 bytes (the last-applied annotation).
const warnBytes = 200 << 10

type buildCommand struct {
	*program
	diagnosticFlags
	imageFlags
	name, namespace string
}

func (p *program) buildCommand() *cobra.Command {
	b := &buildCommand{program: p}
	c := &cobra.Command{
		Use:   "build ROLE-MANIFEST",
		Short: "Print the definitions ConfigMap of a role manifest",
		Long: `Print the definitions of a role manifest as one or several ConfigMaps (YAML, the
same bytes every time). What is wrong with the manifest goes to stderr; nothing
is printed where there is an error.`,
		Example: "  colocate build role-manifest.yml | kubectl apply --server-side -f -",
		Args:    oneArg("role manifest"),
		RunE:    func(_ *cobra.Command, args []string) error { return b.run(args[0]) },
	}
	b.diagnosticFlags.add(c)
	b.imageFlags.add(c)
	c.Flags().StringVar(&b.name, "name", injector.DefinitionsName, "name of the ConfigMap; further shards append -1, -2, …")
	c.Flags().StringVarP(&b.namespace, "namespace", "n", injector.Namespace, "namespace of the webhook")
	return c
}

func (b *buildCommand) run(file string) error {
	if err := b.check(); err != nil {
		return err
	}
	if err := oneStdin(file, b.file); err != nil {
		return err
	}
	for _, f := range []struct{ flag, value string }{{"--name", b.name}, {"--namespace", b.namespace}} {
		if faults := validation.IsDNS1123Label(f.value); len(faults) > 0 {
			return usagef("%s is %q: %s", f.flag, f.value, faults[0])
		}
	}
	data, name, err := b.read(file)
	if err != nil {
		return err
	}
	result, err := b.readManifest(b.program, name, data)
	if err != nil {
		return err
	}
	if err := b.print(b.program, b.err, result.Diagnostics, data); err != nil {
		return err
	}
	b.printImages(b.program, name, result.Images)
	if result.Diagnostics.Failed(b.strict) {
		return errFaults
	}
	sum := sha256.Sum256(data)
	maps, err := definition.ConfigMaps(result.Definitions, definition.Options{
		Namespace: b.namespace, Name: b.name,
		Source: filepath.Base(name), SourceSHA256: hex.EncodeToString(sum[:]),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var out bytes.Buffer
	if err := definition.Write(&out, maps); err != nil {
		return err
	}
	b.advise(name, maps)
	_, err = b.out.Write(out.Bytes())
	return err
}

// advise says what a person has to know about large definitions.
func (b *buildCommand) advise(name string, maps []*corev1.ConfigMap) {
	largest := 0
	for _, m := range maps {
		largest = max(largest, copySize(m))
	}
	if largest < warnBytes {
		return
	}
	fmt.Fprintf(b.err, `%s: warning: %d KiB of definitions in one ConfigMap: kubectl apply without --server-side fails at 256 KiB. Apply them, with the arguments of this command for …, with:
  colocate build … | kubectl apply --server-side -f -
or, so that a shard that a smaller manifest needs no more is removed, too (with this from the first time on):
  colocate build … | KUBECTL_APPLYSET=true kubectl apply --server-side --namespace %s --prune --applyset=%s -f -
`, name, largest>>10, b.namespace, b.name)
}

// copySize is how many bytes the copy has that a client-side kubectl apply keeps
// in an annotation: the object as JSON, in which every line end takes two bytes.
func copySize(m *corev1.ConfigMap) int {
	text, err := json.Marshal(m)
	if err != nil {
		return 0 // strings only: it cannot fail
	}
	return len(text)
}
