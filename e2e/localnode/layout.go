package localnode

import (
	"os"
	"path/filepath"
)

// prefix begins the name of the folder and of the control groups of every node.
const prefix = "colocate-localnode-"

// What is inside the namespaces; nothing outside can clash with it.
const (
	nodeName       = "node1"
	nodeAddress    = "10.89.0.1"
	nodeNetwork    = "10.89.0.1/24"
	nodeGateway    = "10.89.0.254"
	podNetwork     = "10.88.0.0/22"
	serviceNetwork = "10.96.0.0/16"
	firstService   = "10.96.0.1"
	apiPort        = "6443"
	sandboxImage   = "example.org/pause:1"
)

// layout is where the files of one node are.
type layout struct {
	// folder holds everything; its last element is also the control groups' name.
	folder string
	// binaries is the folder of the programs.
	binaries string
}

func (l layout) name() string { return filepath.Base(l.folder) }
func (l layout) path(parts ...string) string {
	return filepath.Join(append([]string{l.folder}, parts...)...)
}
func (l layout) program(name string) string { return filepath.Join(l.binaries, name) }
func (l layout) log(name string) string     { return l.path("log", name+".log") }
func (l layout) socket() string             { return l.path("containerd.sock") }

// insideKubeconfig is for the programs of the node, outsideKubeconfig for whoever
// is on the machine.
func (l layout) insideKubeconfig() string  { return l.path("inside.kubeconfig") }
func (l layout) outsideKubeconfig() string { return l.path("kubeconfig") }

// make creates the folders that programs expect.
func (l layout) make() error {
	for _, name := range []string{"pki", "log", "cni", "var-lib", "var-log"} {
		if err := os.MkdirAll(l.path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}
