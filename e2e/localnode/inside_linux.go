package localnode

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"colocate.dev/colocate/e2e/process"
)

// programTimeout is how long one program may take until it answers; a machine that
// compiles beside it is slow.
const programTimeout = 90 * time.Second

// ready is the line that the inside process writes to its output when pods can be
// created.
const ready = "ready"

// Inside is the whole life of the inside process: the first process of its
// namespaces makes their mounts and network, starts the programs, writes a line to
// out when the node is ready, and returns when a program ends, with why.
func Inside(ctx context.Context, folder, binaries string, out, log io.Writer) error {
	l := layout{folder: folder, binaries: binaries}
	if err := l.mounts(); err != nil {
		return fmt.Errorf("mounts of the node: %w", err)
	}
	if err := network(ctx); err != nil {
		return fmt.Errorf("network of the node: %w", err)
	}
	steps := newSteps(log)
	var running []*process.Process
	for _, next := range []program{
		l.etcd(), l.apiServer(), l.controllerManager(), l.scheduler(), l.proxy(), l.containerd(), l.kubelet(),
	} {
		started, err := l.launch(ctx, next)
		if err != nil {
			return err
		}
		steps.done("%s", next.name)
		running = append(running, started)
	}
	if err := l.waitNode(ctx); err != nil {
		return err
	}
	steps.done("node %q is ready", nodeName)
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return err
	}
	return firstToEnd(ctx, running)
}

// mounts hide from the programs what they would otherwise write into the
// machine's own folders. All of it goes with the mount namespace.
func (l layout) mounts() error {
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"", "/", "", syscall.MS_REC | syscall.MS_PRIVATE},
		{"proc", "/proc", "proc", syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC},
		{"tmpfs", "/run", "tmpfs", syscall.MS_NOSUID | syscall.MS_NODEV},
		{l.path("var-lib"), "/var/lib", "", syscall.MS_BIND},
		{l.path("var-log"), "/var/log", "", syscall.MS_BIND},
	} {
		if err := syscall.Mount(m.source, m.target, m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("%s: %w", m.target, err)
		}
	}
	return nil
}

// network gives the node an address that is not loopback, which a kubelet would
// refuse, and a default route, without which nothing looks for services.
func network(ctx context.Context) error {
	const device = "colocate-node0"
	for _, command := range []string{
		"ip link set lo up",
		"ip link add " + device + " type bridge",
		"ip address add " + nodeNetwork + " dev " + device,
		"ip link set " + device + " up",
		"ip route add default via " + nodeGateway + " dev " + device,
	} {
		words := strings.Fields(command)
		if out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", command, err, out)
		}
	}
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0)
}

// launch starts a program and waits until it is healthy.
func (l layout) launch(ctx context.Context, next program) (*process.Process, error) {
	started, err := process.Start(l.program(next.name), l.log(next.name), next.flags...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", next.name, err)
	}
	if next.healthy == "" {
		return started, nil
	}
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	for {
		err := ask(ctx, next.healthy)
		if err == nil {
			return started, nil
		}
		select {
		case <-started.Done():
			return nil, started.Failure(next.name)
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: not healthy after %s: %w; its last lines:\n%s", next.name, programTimeout, err, started.Tail())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ask gets a health page. Nothing is trusted or told, so certificates are not
// looked at.
func ask(ctx context.Context, page string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

// waitNode waits until the node takes pods and ServiceAccounts are made.
func (l layout) waitNode(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", l.insideKubeconfig())
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	for {
		err := nodeReady(ctx, client)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("node %q: not ready after %s: %w; see %s", nodeName, programTimeout, err, filepath.Dir(l.log("kubelet")))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func nodeReady(ctx context.Context, client kubernetes.Interface) error {
	node, err := client.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	ready := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if ready < 0 {
		return errors.New("no condition Ready yet")
	}
	if condition := node.Status.Conditions[ready]; condition.Status != corev1.ConditionTrue {
		return errors.New(condition.Message)
	}
	if len(node.Spec.Taints) > 0 {
		return fmt.Errorf("tainted: %v", node.Spec.Taints)
	}
	_, err = client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	return err
}

// firstToEnd waits until a program ends, which none should.
func firstToEnd(ctx context.Context, running []*process.Process) error {
	cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())}}
	for _, p := range running {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(p.Done())})
	}
	chosen, _, _ := reflect.Select(cases)
	if chosen == 0 {
		return ctx.Err()
	}
	return running[chosen-1].Failure("a program of the node")
}
