package localnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// require sees to it that everything is there, and says what is missing. Debian
// packages it installs itself.
func require(ctx context.Context, binaries string, steps *steps) error {
	if os.Geteuid() != 0 {
		return errors.New("a local node needs root: run this as root, or use kind")
	}
	l := layout{binaries: binaries}
	var missing []string
	for _, name := range []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet",
		"containerd", "containerd-shim-runc-v2", "ctr", "cni/bridge", "cni/loopback", "cni/host-local",
	} {
		if _, err := os.Stat(l.program(name)); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing in %q: %s; run make control-plane cluster-binaries", binaries, strings.Join(missing, ", "))
	}
	return InstallPackages(ctx, steps.log, map[string]string{"runc": "runc", "iptables": "iptables", "ip": "iproute2"})
}
