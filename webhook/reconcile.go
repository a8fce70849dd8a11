package webhook

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
)

// reconciler loads definitions whenever a ConfigMap of them changes. Every
// replica does; there is no leader to wait for.
type reconciler struct {
	reader    client.Reader // a cache
	namespace string
	loader    *loader
	log       *slog.Logger
	announcer *announcer
	synced    func(context.Context) bool // waits until the reader knows everything
	changed   chan struct{}              // holds one token when something has changed
	loaded    bool                       // at least once
	releasing atomic.Bool                // memory is going to be given back
}

func newReconciler(reader client.Reader, namespace string, l *loader, events recorder, log *slog.Logger) *reconciler {
	return &reconciler{
		reader: reader, namespace: namespace, loader: l, log: log,
		announcer: newAnnouncer(events, log), changed: make(chan struct{}, 1),
		synced: func(context.Context) bool { return true },
	}
}

const (
	// quiet is how long no further change must come before definitions are loaded,
	// and gather the longest wait for that: shards are applied one by one.
	quiet  = 50 * time.Millisecond
	gather = 300 * time.Millisecond
	// releaseDelay is how long after a load, other than the first, memory is given back.
	releaseDelay = 10 * time.Second
	// retryList is the wait after a cache that cannot be read.
	retryList = time.Second
)

// notice notes a change.
func (r *reconciler) notice() {
	select {
	case r.changed <- struct{}{}:
	default: // a token is there already
	}
}

// NeedLeaderElection tells a manager to start it in every replica.
func (r *reconciler) NeedLeaderElection() bool { return false }

// Start loads definitions now and after each change, until ctx is done.
func (r *reconciler) Start(ctx context.Context) error {
	if !r.synced(ctx) {
		return nil // the end came first
	}
	for {
		if err := r.reconcile(ctx); err != nil && ctx.Err() == nil {
			r.log.LogAttrs(ctx, slog.LevelWarn, "definitions cannot be read; trying again", slog.Any("error", err))
			time.AfterFunc(retryList, r.notice)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.changed:
		}
		r.gather(ctx)
	}
}

// gather waits until a burst of changes is over.
func (r *reconciler) gather(ctx context.Context) {
	latest := time.NewTimer(gather)
	defer latest.Stop()
	for {
		calm := time.NewTimer(quiet)
		select {
		case <-r.changed:
			calm.Stop()
			continue
		case <-calm.C:
		case <-latest.C:
		case <-ctx.Done():
		}
		calm.Stop()
		return
	}
}

// reconcile loads what is there now.
func (r *reconciler) reconcile(ctx context.Context) error {
	var list corev1.ConfigMapList
	err := r.reader.List(ctx, &list, client.InNamespace(r.namespace),
		client.MatchingLabels{injector.DefinitionsLabel: injector.DefinitionsVersion})
	if err != nil {
		return err
	}
	configMaps := make([]*corev1.ConfigMap, 0, len(list.Items))
	for i := range list.Items {
		configMaps = append(configMaps, &list.Items[i])
	}
	begin := time.Now()
	loaded := r.loader.load(configMaps)
	r.announcer.announce(ctx, configMaps, loaded, time.Since(begin))
	r.giveBack()
	return nil
}

// giveBack returns to the system what loading needed on the way, which is more
// than this program needs otherwise. That sweeps the whole heap, so it is done at
// once only before anything is served, and later once for several loads.
func (r *reconciler) giveBack() {
	if !r.loaded {
		r.loaded = true
		debug.FreeOSMemory()
	} else if r.releasing.CompareAndSwap(false, true) {
		time.AfterFunc(releaseDelay, func() {
			r.releasing.Store(false)
			debug.FreeOSMemory()
		})
	}
}

// recorder writes Events; client-go's has it.
type recorder interface {
	Eventf(regarding, related runtime.Object, eventType, reason, action, note string, args ...any)
}
