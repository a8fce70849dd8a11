package apiserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// FieldManager is the owner of what Apply writes.
const FieldManager = "colocate-e2e"

// Objects reads a stream of YAML documents; empty ones are left out.
func Objects(stream []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(objects)+1, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// Apply writes objects in their order by server-side apply with strict field
// validation, as `kubectl apply --server-side --validate=strict` does: a field
// that the API server does not know is an error, not dropped.
func (s *Server) Apply(ctx context.Context, objects ...*unstructured.Unstructured) error {
	client, err := dynamic.NewForConfig(s.config())
	if err != nil {
		return err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(s.config())
	if err != nil {
		return err
	}
	groups, err := restmapper.GetAPIGroupResources(kinds)
	if err != nil {
		return fmt.Errorf("list the API's resources: %w", err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	force := true
	options := metav1.PatchOptions{
		FieldManager: FieldManager, Force: &force, FieldValidation: metav1.FieldValidationStrict,
	}
	for _, object := range objects {
		mapping, err := mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
		if err != nil {
			return fmt.Errorf("%s: %w", describe(object), err)
		}
		text, err := object.MarshalJSON()
		if err != nil {
			return fmt.Errorf("%s: %w", describe(object), err)
		}
		// An empty namespace means a cluster-wide resource, here as in the path.
		_, err = client.Resource(mapping.Resource).Namespace(object.GetNamespace()).
			Patch(ctx, object.GetName(), types.ApplyPatchType, text, options)
		if err != nil {
			return fmt.Errorf("%s: %w", describe(object), err)
		}
	}
	return nil
}

// PointWebhooksAt replaces, in every webhook configuration among objects, the
// Service by a URL below base ("https://127.0.0.1:9443"), for a webhook that runs
// beside the API server instead of in a pod. With caBundle not nil, that PEM is
// trusted; nil leaves the field to whoever keeps it.
func PointWebhooksAt(base string, caBundle []byte, objects ...*unstructured.Unstructured) error {
	for _, object := range objects {
		webhooks, found, err := unstructured.NestedSlice(object.Object, "webhooks")
		if err != nil {
			return fmt.Errorf("%s: %w", describe(object), err)
		}
		if !found {
			continue
		}
		for i := range webhooks {
			entry, ok := webhooks[i].(map[string]any)
			if !ok {
				return fmt.Errorf("%s: webhooks[%d] is not an object", describe(object), i)
			}
			path, found, err := unstructured.NestedString(entry, "clientConfig", "service", "path")
			if err != nil || !found {
				return fmt.Errorf("%s: webhooks[%d] has no clientConfig.service.path", describe(object), i)
			}
			client := map[string]any{"url": base + path}
			if caBundle != nil {
				client["caBundle"] = base64.StdEncoding.EncodeToString(caBundle)
			}
			entry["clientConfig"] = client
		}
		if err := unstructured.SetNestedSlice(object.Object, webhooks, "webhooks"); err != nil {
			return fmt.Errorf("%s: %w", describe(object), err)
		}
	}
	return nil
}

// describe names an object as `kubectl` does.
func describe(object *unstructured.Unstructured) string {
	name := object.GetKind() + " " + object.GetName()
	if namespace := object.GetNamespace(); namespace != "" {
		name += " in namespace " + namespace
	}
	return name
}
