package webhook

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"colocate.dev/colocate/injector"
)

// drainTimeout is for the requests in flight when the listener is closed: the
// longest that one can take, and some.
const drainTimeout = readTimeout + roomTimeout + writeTimeout + 3*time.Second

// newManager makes the manager that runs the webhook server, a cache of the
// definitions ConfigMaps and nothing else, and the reconciler.
func (s *Server) newManager(load *loader) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	timeout := drainTimeout
	namespace := s.options.Cluster.Namespace
	m, err := manager.New(s.options.Cluster.Config, manager.Options{
		Scheme:                  scheme,
		MapperProvider:          staticMapper,
		Cache:                   cacheOptions(namespace),
		NewCache:                newPatientCache,
		Logger:                  logr.FromSlogHandler(s.options.Logger.Handler()),
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		WebhookServer:           s.hooks,
		GracefulShutdownTimeout: &timeout,
	})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	m.GetWebhookServer() // adds it to what the manager starts
	r := newReconciler(m.GetCache(), namespace, load, m.GetEventRecorder(injector.Name), s.options.Logger)
	informer, err := m.GetCache().GetInformer(context.Background(), &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("cluster: ConfigMaps: %w", err)
	}
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { r.notice() },
		UpdateFunc: func(any, any) { r.notice() },
		DeleteFunc: func(any) { r.notice() },
	}); err != nil {
		return nil, fmt.Errorf("cluster: ConfigMaps: %w", err)
	}
	r.synced = func(ctx context.Context) bool { return toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) }
	if err := m.Add(r); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return m, nil
}

// staticMapper knows the one kind that is read, and its list, as a mapper made
// by discovery would; asking the API server for all of its kinds would cost time
// and memory.
func staticMapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	m := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"ConfigMap", "ConfigMapList"} {
		m.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	return m, nil
}

// patientCache is not waited for by the manager, which would wait for ever where
// the API server cannot be reached, and could then not be ended. Who reads from
// it waits itself.
type patientCache struct{ cache.Cache }

func newPatientCache(config *rest.Config, o cache.Options) (cache.Cache, error) {
	c, err := cache.New(config, o)
	return patientCache{c}, err
}

// WaitForCacheSync is what the manager calls.
func (patientCache) WaitForCacheSync(context.Context) bool { return true }

// cacheOptions limit the cache to what definitions are read from.
func cacheOptions(namespace string) cache.Options {
	uncopied := true // nobody changes what the cache holds
	return cache.Options{
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{&corev1.ConfigMap{}: {
			Label: labels.SelectorFromSet(labels.Set{injector.DefinitionsLabel: injector.DefinitionsVersion}),
			// The same as a namespace, without a cache that could hold several.
			Field:                 fields.OneTermEqualSelector("metadata.namespace", namespace),
			Transform:             strip,
			UnsafeDisableDeepCopy: &uncopied,
		}},
	}
}

// strip drops what is large and not read: kubectl's copy of the object is as
// long as the object.
func strip(object any) (any, error) {
	if cm, ok := object.(*corev1.ConfigMap); ok {
		cm.ManagedFields, cm.Annotations = nil, nil
	}
	return object, nil
}
