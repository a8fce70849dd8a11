package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/manifests"
)

const (
	fieldOwner = client.FieldOwner(apiserver.FieldManager)
	// patience is how long anything may take that usually takes seconds.
	patience = 90 * time.Second
)

// until repeats what fails and gives the last error when the time is over.
func until(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", limit, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// kubernetesClient is a client without a cache.
func kubernetesClient(config *envconf.Config) client.Client {
	return config.Client().Resources().GetControllerRuntimeClient()
}

// apply writes objects by server-side apply; unknown fields are errors.
func apply(ctx context.Context, c client.Client, objects ...*unstructured.Unstructured) error {
	for _, object := range objects {
		err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), fieldOwner, client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// rendered are the objects of the installation, with an image.
func rendered(image string) ([]*unstructured.Unstructured, error) {
	text, err := manifests.Render()
	if err != nil {
		return nil, err
	}
	return apiserver.Objects(bytes.ReplaceAll(text, []byte("image: "+manifests.Image+"\n"), []byte("image: "+image+"\n")))
}

// install applies the manifests and the definitions and waits until both work.
func install(ctx context.Context, config *envconf.Config, image string) error {
	objects, err := rendered(image)
	if err != nil {
		return err
	}
	c := kubernetesClient(config)
	if err := apply(ctx, c, objects...); err != nil {
		return err
	}
	if err := rolledOut(ctx, c); err != nil {
		return err
	}
	if err := until(ctx, patience, func(ctx context.Context) error { return trusted(ctx, c) }); err != nil {
		return err
	}
	return define(ctx, c, forwarder)
}

// rolledOut waits until every replica of the webhook is of the current template.
func rolledOut(ctx context.Context, c client.Client) error {
	return until(ctx, patience, func(ctx context.Context) error {
		var d appsv1.Deployment
		if err := c.Get(ctx, client.ObjectKey{Namespace: manifests.Namespace, Name: "colocate"}, &d); err != nil {
			return err
		}
		s, want := d.Status, *d.Spec.Replicas
		if s.ObservedGeneration < d.Generation || s.UpdatedReplicas != want || s.AvailableReplicas != want || s.Replicas != want {
			return fmt.Errorf("webhook: %d replicas wanted, %d there, %d updated, %d available; %s",
				want, s.Replicas, s.UpdatedReplicas, s.AvailableReplicas, podStates(ctx, c, manifests.Namespace))
		}
		return nil
	})
}

// trusted fails until every webhook carries a caBundle.
func trusted(ctx context.Context, c client.Client) error {
	var mutating admissionregistrationv1.MutatingWebhookConfiguration
	var validating admissionregistrationv1.ValidatingWebhookConfiguration
	key := client.ObjectKey{Name: "colocate"}
	if err := errors.Join(c.Get(ctx, key, &mutating), c.Get(ctx, key, &validating)); err != nil {
		return err
	}
	for _, webhook := range mutating.Webhooks {
		if len(webhook.ClientConfig.CABundle) == 0 {
			return fmt.Errorf("webhook %q has no caBundle", webhook.Name)
		}
	}
	for _, webhook := range validating.Webhooks {
		if len(webhook.ClientConfig.CABundle) == 0 {
			return fmt.Errorf("webhook %q has no caBundle", webhook.Name)
		}
	}
	return nil
}

// forwarder and newForwarder are versions of the log forwarder's image.
const (
	forwarder    = "example.org/log-forwarder:1.4"
	newForwarder = "example.org/log-forwarder:1.5"
)

// define applies what `colocate build` makes of the examples' role manifests, with
// one image for every log forwarder, and waits until every replica uses it.
func define(ctx context.Context, c client.Client, image string) error {
	found, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "role-manifest.yml"))
	if err != nil || len(found) == 0 {
		return errors.Join(errors.New("no role manifests in examples"), err)
	}
	for _, path := range found {
		objects, err := built(ctx, path, image)
		if err != nil {
			return err
		}
		if err := apply(ctx, c, objects...); err != nil {
			return err
		}
	}
	return until(ctx, patience, func(ctx context.Context) error { return inForce(ctx, c, image) })
}

// built is the ConfigMap of one role manifest. The containers ask for less than in
// the manifest: a test's node is small.
func built(ctx context.Context, path, image string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(filepath.Dir(path))
	small := strings.NewReplacer("virtual-cpus: 4\n", "virtual-cpus: 0.02\n", "memory: 256\n", "memory: 16\n", forwarder, image)
	copied := filepath.Join(suite.folder, name+".yml")
	if err := os.WriteFile(copied, []byte(small.Replace(string(text))), 0o600); err != nil {
		return nil, err
	}
	var complaints bytes.Buffer
	command := exec.CommandContext(ctx, suite.binary, "build", "--name", "colocate-definitions-"+name, copied)
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("colocate build %s: %w\n%s", path, err, complaints.Bytes())
	}
	return apiserver.Objects(out)
}

// inForce asks often enough that every replica is asked, and fails as long as one
// injects another image.
func inForce(ctx context.Context, c client.Client, image string) error {
	for range 12 {
		for role, want := range map[string]string{"nginx": image, "report": image, "shop": "example.org/database-ambassador:2.1"} {
			pod := pod("probe", map[string]string{roleAnnotation: role})
			pod.Namespace = corev1.NamespaceDefault
			if err := c.Create(ctx, pod, client.DryRunAll); err != nil {
				return err
			}
			if refs := imageRefs(pod); !slices.Contains(refs, want) {
				return fmt.Errorf("a pod of role %q gets %q, want %q", role, refs, want)
			}
		}
	}
	return nil
}

// uninstall removes the webhook configurations, so that no pod waits for what is
// going, then everything else, and waits until it is gone.
func uninstall(ctx context.Context, config *envconf.Config) error {
	objects, err := rendered(manifests.Image)
	if err != nil {
		return err
	}
	c := kubernetesClient(config)
	for _, object := range slices.Backward(objects) {
		if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
			return err
		}
	}
	return until(ctx, patience, func(ctx context.Context) error {
		for _, object := range objects {
			found := object.DeepCopy()
			if err := c.Get(ctx, client.ObjectKeyFromObject(object), found); !apierrors.IsNotFound(err) {
				return errors.Join(fmt.Errorf("%s %s is still there", object.GetKind(), object.GetName()), err)
			}
		}
		return nil
	})
}
