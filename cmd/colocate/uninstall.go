package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

type uninstallCommand struct {
	*program
	clusterFlags
	dryRun, all bool
}

func (p *program) uninstallCommand() *cobra.Command {
	u := &uninstallCommand{program: p}
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove an installation from a cluster",
		Long: `Remove an installation, with all of its components, from a cluster: the webhook
configurations first, so that no pod waits for a webhook that is gone, then the rest.
The namespace and the definitions in it stay, unless --all is given. What does not
carry the label app.kubernetes.io/part-of=colocate is left alone. Pods that were injected
keep their containers until they are replaced.`,
		Example: `  colocate uninstall --dry-run
  colocate uninstall --all`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return u.run(c.Context()) },
	}
	u.clusterFlags.add(c)
	c.Flags().BoolVar(&u.dryRun, "dry-run", false, "only print what would be deleted")
	c.Flags().BoolVar(&u.all, "all", false, "delete the definitions and the namespace, too, with everything in it")
	return c
}

func (u *uninstallCommand) run(ctx context.Context) error {
	if err := namespaceFlag(u.namespace); err != nil {
		return err
	}
	objects, err := installed(u.namespace)
	if err != nil {
		return err
	}
	config, err := u.config("colocate-uninstall/" + u.version.Version)
	if err != nil {
		return err
	}
	// Foreign kinds, of components, are asked of the API server.
	c, err := client.New(config, client.Options{})
	if err != nil {
		return fmt.Errorf("the API server does not answer: %w: check the kubeconfig and the network", err)
	}
	removed := 0
	for _, o := range objects {
		if o.GetKind() == "Namespace" && !u.all {
			continue
		}
		did, err := u.remove(ctx, c, o)
		if err != nil {
			return fmt.Errorf("%s: %w: the rest is left as it is; correct this and run uninstall again", titleOf(o), err)
		}
		if did {
			removed++
		}
	}
	if removed == 0 {
		fmt.Fprintln(u.out, "nothing of colocate is installed")
	}
	if u.all {
		return nil
	}
	return u.sayKept(ctx, c)
}

// remove deletes one object where it is ours, and says whether it did.
func (u *uninstallCommand) remove(ctx context.Context, c client.Client, o *unstructured.Unstructured) (bool, error) {
	key := client.ObjectKeyFromObject(o)
	switch err := c.Get(ctx, key, o); {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return false, nil
	case err != nil:
		return false, err
	}
	if !ours(o) {
		fmt.Fprintf(u.err, "colocate: %s is left alone: it does not carry the label %s=%s\n", titleOf(o), partOf, injector.Name)
		return false, nil
	}
	if u.dryRun {
		fmt.Fprintf(u.out, "would delete %s\n", titleOf(o))
		return true, nil
	}
	uid := o.GetUID()
	err := c.Delete(ctx, o, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &uid})
	if client.IgnoreNotFound(err) != nil {
		return false, err
	}
	fmt.Fprintf(u.out, "deleted %s\n", titleOf(o))
	return true, nil
}

const partOf = "app.kubernetes.io/part-of"

// ours says whether an object belongs to an installation. Secrets are written by
// the webhook or by cert-manager, whose labels are other ones; their names are ours.
func ours(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Secret" || o.GetLabels()[partOf] == injector.Name
}

// sayKept tells of what stays.
func (u *uninstallCommand) sayKept(ctx context.Context, c client.Client) error {
	err := c.Get(ctx, client.ObjectKey{Name: u.namespace}, &corev1.Namespace{})
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	var list corev1.ConfigMapList
	err = c.List(ctx, &list, client.InNamespace(u.namespace), client.MatchingLabels{injector.DefinitionsLabel: injector.DefinitionsVersion})
	if err != nil {
		return err
	}
	fmt.Fprintf(u.out, "kept Namespace %s with %d ConfigMaps of definitions; --all deletes them\n", u.namespace, len(list.Items))
	return nil
}

func titleOf(o *unstructured.Unstructured) string {
	title := o.GetKind() + " " + o.GetName()
	if o.GetNamespace() != "" {
		title += " in namespace " + o.GetNamespace()
	}
	return title
}

// installed are the objects that an installation may have made, in the order in
// which they are removed.
func installed(namespace string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	seen := map[string]bool{}
	add := func(o *unstructured.Unstructured) {
		if title := o.GetAPIVersion() + titleOf(o); !seen[title] {
			seen[title] = true
			objects = append(objects, o)
		}
	}
	// With cert-manager the base lacks rights that it has without.
	for _, components := range [][]string{nil, manifests.Components()} {
		text, err := installation(namespace, manifests.Image, components...)
		if err != nil {
			return nil, err
		}
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			o := &unstructured.Unstructured{}
			if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("the embedded manifests cannot be read: %w", err)
			}
			if len(o.Object) == 0 {
				continue
			}
			add(o)
			if name, _, _ := unstructured.NestedString(o.Object, "spec", "secretName"); o.GetKind() == "Certificate" && name != "" {
				add(secret(namespace, name))
			}
		}
	}
	add(secret(namespace, injector.CASecretName))
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { return cmp.Compare(turn(a), turn(b)) })
	return objects, nil
}

func secret(namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind("Secret")
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// turn is when an object is removed: first what calls the webhook or refuses pods,
// then the webhook, then its rights, without which it cannot write its Secret
// again, and the namespace last.
func turn(o *unstructured.Unstructured) int {
	switch o.GetKind() {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		return 0
	case "ValidatingAdmissionPolicyBinding":
		return 1
	case "ValidatingAdmissionPolicy":
		return 2
	case "Deployment", "Certificate":
		return 3
	case "Secret":
		return 5
	case "Namespace":
		return 6
	}
	return 4
}
