package localnode

import (
	"os"
	"os/exec"
	"strings"
)

// writeConfigs writes the configuration files of the programs that take one.
func (l layout) writeConfigs() error {
	runc, err := exec.LookPath("runc")
	if err != nil {
		return err
	}
	fill := strings.NewReplacer(
		"{folder}", l.folder, "{binaries}", l.binaries, "{name}", l.name(), "{node}", nodeName, "{address}", nodeAddress,
		"{pods}", podNetwork, "{socket}", l.socket(), "{kubeconfig}", l.insideKubeconfig(), "{sandbox}", sandboxImage, "{runc}", runc,
	)
	for path, text := range map[string]string{
		l.path("kube-proxy.yaml"):           proxyConfig,
		l.path("kubelet.yaml"):              kubeletConfig,
		l.path("containerd.toml"):           containerdConfig,
		l.path("cni", "10-bridge.conflist"): networkConfig,
	} {
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// The connection tracking limits stay the machine's: they are not the namespace's.
const proxyConfig = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clientConnection: {kubeconfig: "{kubeconfig}"}
clusterCIDR: {pods}
hostnameOverride: {node}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`

// Score adjustments of the out-of-memory killer need a capability that machines
// without privileged containers lack.
const containerdConfig = `version = 3
root = "{folder}/containerd/root"
state = "{folder}/containerd/state"
[grpc]
  address = "{socket}"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "{sandbox}"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["{binaries}/cni"]
    conf_dir = "{folder}/cni"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      SystemdCgroup = false
      BinaryName = "{runc}"
`

const networkConfig = `{"cniVersion": "1.0.0", "name": "pods", "plugins": [{
  "type": "bridge", "bridge": "pods0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "{folder}/cni-addresses",
    "ranges": [[{"subnet": "{pods}"}]], "routes": [{"dst": "0.0.0.0/0"}]}
}]}
`

// Pods live in control groups of their own below /{name}. Images are never
// collected: nobody could pull them again.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
failSwapOn: false
cgroupDriver: cgroupfs
cgroupRoot: /{name}
cgroupsPerQOS: true
enforceNodeAllocatable: []
oomScoreAdj: 0
containerRuntimeEndpoint: unix://{socket}
address: {address}
port: 10250
readOnlyPort: 0
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
evictionHard: {nodefs.available: "1%", imagefs.available: "1%", memory.available: "50Mi"}
imageGCHighThresholdPercent: 100
resolvConf: ""
clusterDomain: cluster.local
maxPods: 250
kubeAPIQPS: 100
kubeAPIBurst: 200
`
