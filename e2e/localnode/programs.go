package localnode

// program is one of the processes of the node, in the order of their start.
type program struct {
	name  string
	flags []string
	// healthy is a page that answers 200 when the program works; "" asks nothing.
	healthy string
}

const etcdAddress = "http://127.0.0.1:2379"

// etcd runs alone and without waiting for disks: the data need not survive it.
func (l layout) etcd() program {
	const peers = "http://127.0.0.1:2380"
	return program{name: "etcd", healthy: etcdAddress + "/health", flags: []string{
		"--name=node", "--data-dir=" + l.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=" + etcdAddress, "--advertise-client-urls=" + etcdAddress,
		"--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers, "--initial-cluster=node=" + peers,
	}}
}

// apiServer calls webhooks by the addresses of their pods, for which it needs
// neither a name server nor the rules of kube-proxy.
func (l layout) apiServer() program {
	return program{name: "kube-apiserver", healthy: "https://" + nodeAddress + ":" + apiPort + "/readyz", flags: []string{
		"--etcd-servers=" + etcdAddress, "--bind-address=0.0.0.0", "--advertise-address=" + nodeAddress, "--secure-port=" + apiPort,
		"--tls-cert-file=" + l.path("pki", "serving.crt"), "--tls-private-key-file=" + l.path("pki", "serving.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + l.path("pki", "accounts.key"), "--service-account-signing-key-file=" + l.path("pki", "accounts.key"),
		"--service-cluster-ip-range=" + serviceNetwork, "--token-auth-file=" + l.path("pki", "tokens.csv"),
		"--authorization-mode=Node,RBAC", "--allow-privileged=true",
		"--enable-aggregator-routing=true", "--kubelet-preferred-address-types=InternalIP",
	}}
}

func (l layout) controllerManager() program {
	return program{name: "kube-controller-manager", healthy: "https://127.0.0.1:10257/healthz", flags: []string{
		"--kubeconfig=" + l.insideKubeconfig(), "--root-ca-file=" + l.path("pki", "ca.crt"),
		"--service-account-private-key-file=" + l.path("pki", "accounts.key"), "--use-service-account-credentials=true",
		"--leader-elect=false", "--bind-address=127.0.0.1", "--kube-api-qps=200", "--kube-api-burst=400",
	}}
}

func (l layout) scheduler() program {
	return program{name: "kube-scheduler", healthy: "https://127.0.0.1:10259/healthz", flags: []string{
		"--kubeconfig=" + l.insideKubeconfig(), "--leader-elect=false", "--bind-address=127.0.0.1",
	}}
}

func (l layout) proxy() program {
	return program{name: "kube-proxy", flags: []string{"--config=" + l.path("kube-proxy.yaml")}}
}

func (l layout) containerd() program {
	return program{name: "containerd", flags: []string{"--config=" + l.path("containerd.toml"), "--log-level=warn"}}
}

func (l layout) kubelet() program {
	return program{name: "kubelet", flags: []string{
		"--kubeconfig=" + l.insideKubeconfig(), "--config=" + l.path("kubelet.yaml"), "--root-dir=" + l.path("kubelet"),
		"--hostname-override=" + nodeName, "--node-ip=" + nodeAddress,
	}}
}
