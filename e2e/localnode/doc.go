// Package localnode starts a real Kubernetes cluster of one node on this machine:
// etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy,
// containerd and kubelet, with containers that run. It needs root on Linux, the
// programs of `make control-plane cluster-binaries`, and runc, iptables and ip.
//
// Three processes stand behind a Node, so that nothing outlives whoever asked:
//
//	caller ── pipe ──▶ outside ── child ──▶ inside ──▶ etcd, kubelet, containers, …
//
// The inside process is the first of a PID namespace of its own, in a mount, a
// network and an IPC namespace of its own: when it ends, the kernel ends every
// process in there, pods included, and with the last of them go all mounts,
// bridges and packet filter rules. The outside process ends the inside one when
// the pipe closes, for example because the caller was killed, and then removes
// what namespaces do not hold: control groups and one folder. Should the outside
// process be killed, the inside one dies with it, and the next Start removes the
// rest.
package localnode
