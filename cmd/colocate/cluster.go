package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/webhook"
)

// clusterFlags say which cluster a command looks at.
type clusterFlags struct {
	kubeconfig, context string
	namespace           string
}

func (f *clusterFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "`file` with the way to the API server; default: as kubectl")
	c.Flags().StringVar(&f.context, "context", "", "context of the kubeconfig")
	c.Flags().StringVarP(&f.namespace, "namespace", "n", injector.Namespace, "namespace of the webhook")
}

// config finds the API server as kubectl does.
func (f *clusterFlags) config(userAgent string) (*rest.Config, error) {
	config, err := restConfig(f.kubeconfig, f.context, userAgent, "give --kubeconfig, or set KUBECONFIG")
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	// What the libraries log is no part of a command's answer.
	config.WarningHandler = rest.NoWarnings{}
	webhook.RouteLogs(slog.New(slog.DiscardHandler))
	return config, nil
}

// restConfig finds the API server as kubectl does: by the file, else by
// $KUBECONFIG, else by the pod's own account. remedy is what to do where there is none.
func restConfig(file, context, userAgent, remedy string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, fmt.Errorf("no API server is known: %s", remedy)
	}
	if err != nil {
		return nil, fmt.Errorf("the way to the API server: %w", err)
	}
	config.UserAgent = userAgent
	return config, nil
}

// newClient makes a client without a cache and without discovery: the few kinds
// that are looked at are known.
func newClient(config *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, admissionregistrationv1.AddToScheme, discoveryv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"Pod", "ConfigMap", "Secret"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	mapper.Add(discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"), meta.RESTScopeNamespace)
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		mapper.Add(admissionregistrationv1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeRoot)
	}
	return client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
}

// clusterDefinitions reads and compiles the definitions of a cluster, as the
// webhook does.
func clusterDefinitions(ctx context.Context, c client.Client, namespace string) (maps []string, s *injector.Snapshot, faults []injector.Fault, err error) {
	var list corev1.ConfigMapList
	err = c.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{injector.DefinitionsLabel: injector.DefinitionsVersion})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("definitions in namespace %q: %w", namespace, err)
	}
	var defs []injector.Definition
	for i := range list.Items {
		found, wrong := definition.Load(&list.Items[i])
		defs = append(defs, found...)
		faults = append(faults, wrong...)
		maps = append(maps, list.Items[i].Name)
	}
	s, faults = compile(defs, faults)
	return maps, s, faults, nil
}

// podPage is how many pods are asked for at once.
const podPage = 500

// eachPod calls f with the metadata of pods, page by page, so that memory does
// not grow with the cluster.
func eachPod(ctx context.Context, c client.Client, f func(*metav1.PartialObjectMetadata), options ...client.ListOption) error {
	for next := ""; ; {
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
		page := append([]client.ListOption{client.Limit(podPage), client.Continue(next)}, options...)
		if err := c.List(ctx, &list, page...); err != nil {
			return fmt.Errorf("pods: %w", err)
		}
		for i := range list.Items {
			f(&list.Items[i])
		}
		if next = list.Continue; next == "" {
			return nil
		}
	}
}
