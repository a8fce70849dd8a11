//go:build unix

package main

import (
	"path/filepath"
	"time"
)

// program is one executable that the suites run.
type program struct {
	// name is the file's, relative to the folder of binaries.
	name string
	// module is the folder, beside this file, of the module that pins the program.
	module string
	// pkg is the import path of its main package.
	pkg string
	// usual is how long it takes on two cores when nothing is cached.
	usual time.Duration
	flags []string
}

const kubernetesVersion = "v1.37.2"

// sets are what the command line may ask for besides single names: "api" is
// enough for an API server, "node" is the rest of a cluster of one machine.
func sets() map[string][]program {
	return map[string][]program{
		"api": {
			{name: "etcd", module: "etcd", pkg: ".", usual: 50 * time.Second, flags: linked()},
			kubernetes("kube-apiserver", 5*time.Minute),
			kubernetes("kubectl", 40*time.Second),
		},
		"node": {
			kubernetes("kube-controller-manager", 160*time.Second),
			kubernetes("kube-scheduler", 15*time.Second),
			kubernetes("kubelet", 70*time.Second),
			kubernetes("kube-proxy", 20*time.Second),
			containerd("containerd", time.Minute),
			containerd("containerd-shim-runc-v2", 10*time.Second),
			containerd("ctr", 10*time.Second),
			plugin("main/bridge"),
			plugin("main/loopback"),
			plugin("ipam/host-local"),
		},
	}
}

// linked are the flags of every program: -s -w leave debug tables out, and
// extra are further words for the linker.
func linked(extra ...string) []string {
	words := "-s -w"
	for _, word := range extra {
		words += " " + word
	}
	return []string{"-ldflags", words}
}

// kubernetes tells its program the version, which `go build` leaves at v0.0.0.
func kubernetes(name string, usual time.Duration) program {
	const version = "-X k8s.io/component-base/version."
	return program{
		name: name, module: "kubernetes", pkg: "k8s.io/kubernetes/cmd/" + name, usual: usual,
		flags: linked(version+"gitVersion="+kubernetesVersion, version+"gitMajor=1", version+"gitMinor=37"),
	}
}

// containerd leaves out the snapshotters that need C libraries.
func containerd(name string, usual time.Duration) program {
	return program{
		name: name, module: "containerd", pkg: "github.com/containerd/containerd/v2/cmd/" + name, usual: usual,
		flags: append(linked(), "-tags", "no_btrfs no_zfs no_devmapper"),
	}
}

// plugin goes into a folder of its own, which containerd is told as bin_dirs.
func plugin(path string) program {
	return program{
		name: "cni/" + filepath.Base(path), module: "cni", pkg: "github.com/containernetworking/plugins/plugins/" + path,
		usual: 5 * time.Second, flags: linked(),
	}
}
