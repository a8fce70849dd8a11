package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

// reloadRow is what loading new definitions does to admissions: p99 of small pods
// in microseconds, while a ConfigMap is written that is not ours, and while one
// with definitions is.
type reloadRow struct {
	Roles     int     `json:"roles"`
	Quiet     float64 `json:"quietMicroseconds"`
	Reloading float64 `json:"reloadingMicroseconds"`
	Ratio     float64 `json:"ratio"`
	Writes    int     `json:"writes"`
}

const (
	writeEvery  = 250 * time.Millisecond
	rolesAShard = 1000
)

// reloads measures with the roles that are there, and with many more.
func (b *bench) reloads(ctx context.Context, client kubernetes.Interface, replica *product.Replica, into *results) error {
	all, err := reviews()
	if err != nil {
		return err
	}
	at := target{name: "colocate", url: urlOf(replica.Port), pid: replica.PID()}
	for _, roles := range []int{1, b.roles} {
		if err := shards(ctx, client, replica, roles); err != nil {
			return err
		}
		var quiet, reloading []sample
		row := reloadRow{Roles: roles}
		for range b.rounds {
			for _, ours := range []bool{false, true} {
				s, writes, err := b.whileWriting(ctx, client, ours, min(roles, rolesAShard), at, all[0])
				if err != nil {
					return err
				}
				if ours {
					reloading, row.Writes = append(reloading, s), row.Writes+writes
				} else {
					quiet = append(quiet, s)
				}
			}
		}
		p99 := func(s sample) time.Duration { return s.p99 }
		row.Quiet, row.Reloading, row.Ratio = middle(quiet, p99), middle(reloading, p99), median(ratios(reloading, quiet, p99))
		into.Reloads = append(into.Reloads, row)
	}
	return nil
}

// whileWriting measures while a ConfigMap of so many roles is written again and
// again; it is one with definitions, or it only looks like one.
func (b *bench) whileWriting(ctx context.Context, client kubernetes.Interface, ours bool, roles int, at target, r review) (s sample, writes int, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	wrote := make(chan error, 1)
	go func() {
		for {
			err := put(ctx, client, shard(map[bool]string{true: shardName(0), false: "bench-not-ours"}[ours], ours, 0, roles))
			if ctx.Err() != nil {
				err = nil
			}
			if err != nil || ctx.Err() != nil {
				wrote <- err
				return
			}
			writes++
			select {
			case <-ctx.Done():
			case <-time.After(writeEvery):
			}
		}
	}()
	s, err = measure(ctx, at, r, 5*b.requests, b.atOnce)
	stop()
	if writeErr := <-wrote; err == nil {
		err = writeErr
	}
	return s, writes, err
}

func shardName(n int) string { return fmt.Sprintf("bench-%d", n) }

// shards makes ConfigMaps with so many main roles, and waits until they are loaded.
func shards(ctx context.Context, client kubernetes.Interface, replica *product.Replica, roles int) error {
	for n := 0; n*rolesAShard < roles; n++ {
		if err := put(ctx, client, shard(shardName(n), true, n*rolesAShard, min(roles, (n+1)*rolesAShard))); err != nil {
			return err
		}
	}
	want := fmt.Sprintf("colocate_definitions_roles{state=\"usable\"} %d\n", roles+1)
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		text, err := replica.MetricsText(ctx)
		if err == nil && strings.Contains(text, want) {
			return nil
		}
		if time.Since(began) > time.Minute {
			return fmt.Errorf("%d roles are not loaded after a minute: %w", roles, err)
		}
	}
}

// shard is a ConfigMap with roles from one number to another, and a colocated
// container that is different each time.
func shard(name string, ours bool, from, to int) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: injector.Namespace}, Data: map[string]string{}}
	if ours {
		m.Labels = map[string]string{injector.DefinitionsLabel: injector.DefinitionsVersion}
	}
	for i := from; i < to; i++ {
		m.Data[fmt.Sprintf("web-%d.yaml", i)] = fmt.Sprintf("apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: web-%d}\nspec:\n  colocated: [log-forwarder]\n", i)
	}
	m.Data[name+"-other.yaml"] = fmt.Sprintf("apiVersion: colocate.dev/v1\nkind: ColocatedContainer\nmetadata: {name: %s-other}\nspec:\n  container: {name: %s-other, image: 'example.org/other:%d'}\n", name, name, time.Now().UnixNano())
	return m
}

// put writes a ConfigMap, whether there is one or not.
func put(ctx context.Context, client kubernetes.Interface, m *corev1.ConfigMap) error {
	api := client.CoreV1().ConfigMaps(injector.Namespace)
	_, err := api.Update(ctx, m, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = api.Create(ctx, m, metav1.CreateOptions{})
	}
	return err
}
