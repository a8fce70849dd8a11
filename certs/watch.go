package certs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// listTimeout bounds one reading or writing call.
	listTimeout = 10 * time.Second
	// watchSeconds is when the API server ends a watch. Then the object is read
	// anew, which also tells the API server's time.
	watchSeconds = 480
	// watchShort is how long a watch has to last not to count as a failure.
	watchShort = time.Second
)

// feed follows one object by list and watch, and holds no copy of it.
type feed struct {
	client    client.WithWatch
	clock     clock.Clock
	list      func() client.ObjectList
	namespace string // "" for an object of the cluster
	name      string

	// see is given each state of the object, nil where it does not exist.
	see func(object client.Object, by how)
	// lost is called when the object is no longer watched; nil for nobody.
	lost func()
	// fault is given each failure.
	fault func(err error)
}

// run follows the object until ctx is done.
func (f *feed) run(ctx context.Context) {
	var r retry
	for ctx.Err() == nil {
		begin := f.clock.Now()
		err := f.follow(ctx)
		if f.lost != nil {
			f.lost()
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.fault(err)
		}
		if f.clock.Since(begin) >= watchShort {
			r.succeeded()
		}
		r.failed(f.clock.Now(), rand.Float64())
		sleep(ctx, f.clock, r.wait(f.clock.Now()))
	}
}

// follow reads the object once, and watches it until the watch ends.
func (f *feed) follow(ctx context.Context) error {
	version, err := f.read(ctx)
	if err != nil {
		return err
	}
	options := f.options()
	seconds := int64(watchSeconds)
	options.Raw = &metav1.ListOptions{ResourceVersion: version, TimeoutSeconds: &seconds}
	w, err := f.client.Watch(ctx, f.list(), options)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, ok := <-w.ResultChan():
			if !ok {
				return nil
			}
			if err := f.handle(event); err != nil {
				return err
			}
		}
	}
}

// read gives the object's state to see, and the version to watch from.
func (f *feed) read(ctx context.Context) (version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	list := f.list()
	if err := f.client.List(ctx, list, f.options()); err != nil {
		return "", fmt.Errorf("list: %w", err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return "", fmt.Errorf("list: %w", err)
	}
	for _, item := range items {
		if object, ok := item.(client.Object); ok && object.GetName() == f.name {
			f.see(object, read)
			return list.GetResourceVersion(), nil
		}
	}
	f.see(nil, read)
	return list.GetResourceVersion(), nil
}

func (f *feed) handle(event watch.Event) error {
	if event.Type == watch.Error {
		err := apierrors.FromObject(event.Object)
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			return nil // the object is read anew
		}
		return fmt.Errorf("watch: %w", err)
	}
	object, ok := event.Object.(client.Object)
	if !ok {
		return errors.New("watch: event without an object")
	}
	if object.GetName() != f.name {
		return nil
	}
	switch event.Type {
	case watch.Added, watch.Modified:
		f.see(object, announced)
	case watch.Deleted:
		f.see(nil, announced)
	}
	return nil
}

func (f *feed) options() *client.ListOptions {
	return &client.ListOptions{
		Namespace:     f.namespace,
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, f.name),
	}
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, c clock.Clock, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C():
	}
}
