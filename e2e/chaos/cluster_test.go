package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/process"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

const (
	replicas = 3
	// servicePortName is that of the base's Service; endpoints are found by it.
	servicePortName = "https"
	// pollEvery is the period of the readiness probe; the grace period must be
	// longer than it takes to be noticed.
	pollEvery = 300 * time.Millisecond
	grace     = 3 * time.Second
)

// cluster is an API server with an installation of several replicas behind the
// Service.
type cluster struct {
	server  *apiserver.Server
	client  kubernetes.Interface
	folder  string
	account string // kubeconfig
	address string

	mu       sync.Mutex
	replicas [replicas]*product.Replica // nil while one is away
}

// outside is an address of this machine that is no loopback address: the API
// server takes no other for an endpoint.
func outside(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	t.Fatal("this machine has no IPv4 address besides loopback, which endpoints need: add one, such as `ip addr add 10.89.9.1/32 dev lo`")
	return ""
}

func newCluster(t *testing.T, o apiserver.Options) *cluster {
	t.Helper()
	if errBuild != nil {
		t.Fatal(errBuild)
	}
	o.Flags = append(o.Flags, "--enable-aggregator-routing=true")
	c := &cluster{folder: t.TempDir(), address: outside(t), server: apiserver.StartForTest(t, o)}
	var err error
	config := c.server.Config()
	config.Timeout = 20 * time.Second
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	if c.account, err = product.Install(t.Context(), c.server, "", c.folder); err != nil {
		t.Fatal(err)
	}
	i := product.Installation{Server: c.server, Binary: binary}
	i.Define(t, "../../examples/sidecar/role-manifest.yml")
	for n := range replicas {
		c.start(t, n)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var polling sync.WaitGroup
	polling.Go(func() { c.poll(ctx, t) })
	t.Cleanup(func() {
		stop()
		polling.Wait()
		for n := range replicas {
			if r := c.replica(n); r != nil {
				r.Kill()
				if t.Failed() {
					t.Logf("replica %d:\n%s", n, r.Tail())
				}
			}
		}
	})
	c.waitServing(t)
	return c
}

// start brings replica n up, on a port of its own, and waits until it is ready.
func (c *cluster) start(t *testing.T, n int) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		r, err := product.Serve(product.Options{
			Binary: binary, Kubeconfig: c.account, Address: c.address,
			Log:   filepath.Join(c.folder, fmt.Sprintf("replica-%d.log", n)),
			Flags: []string{"--grace-period", grace.String(), "--ca-rotation-delay", "5s"},
		})
		if err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		c.replicas[n] = r
		c.mu.Unlock()
		if err = r.WaitReady(t.Context(), time.Minute); err == nil {
			return
		}
		if attempt == 3 || !errors.Is(err, process.ErrPortTaken) {
			t.Fatal(err)
		}
	}
}

func (c *cluster) replica(n int) *product.Replica {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replicas[n]
}

func (c *cluster) forget(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas[n] = nil
}

// poll does what kubelet and the endpoint controllers do.
func (c *cluster) poll(ctx context.Context, t *testing.T) {
	written := [replicas]string{}
	for {
		for n := range replicas {
			r := c.replica(n)
			ready := r != nil && r.Ready(ctx) == nil
			state := fmt.Sprint(ready)
			if r != nil {
				state += fmt.Sprint(r.Port)
			}
			if state == written[n] || r == nil && written[n] == "" {
				continue
			}
			if err := c.writeSlice(ctx, n, r, ready); err != nil {
				if ctx.Err() == nil {
					t.Logf("endpoint of replica %d: %v", n, err) // an API server that is away comes back
				}
				continue
			}
			written[n] = state
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollEvery):
		}
	}
}

func (c *cluster) writeSlice(ctx context.Context, n int, r *product.Replica, ready bool) error {
	name := fmt.Sprintf("colocate-%d", n)
	slices := c.client.DiscoveryV1().EndpointSlices(manifests.Namespace)
	if r == nil {
		err := slices.Delete(ctx, name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	port, portName := int32(r.Port), servicePortName
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: manifests.Namespace,
			Labels: map[string]string{discoveryv1.LabelServiceName: injector.Name, discoveryv1.LabelManagedBy: "chaos"},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: &portName, Port: &port}},
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{c.address}, Conditions: discoveryv1.EndpointConditions{Ready: &ready, Serving: &ready}}},
	}
	_, err := slices.Update(ctx, slice, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = slices.Create(ctx, slice, metav1.CreateOptions{})
	}
	return err
}

// waitServing waits until a pod of the role comes back injected.
func (c *cluster) waitServing(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		result, err := c.create(t.Context(), true)
		if result == injected {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no pod is injected: %v %v", result, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
