package apiserver

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// BinariesVariable is the environment variable that names the folder of etcd and
// kube-apiserver where they are not in the module's own.
const BinariesVariable = "COLOCATE_CONTROL_PLANE"

// builtBinaries is where `make control-plane` puts the programs, below the folder
// of go.mod.
const builtBinaries = ".cache/control-plane/bin"

// Options say how the control plane differs from the usual one; the zero value is
// the usual one.
type Options struct {
	// Binaries is the folder of etcd and kube-apiserver; "" means what Binaries finds.
	Binaries string
	// BindAddress is the address that kube-apiserver listens on; "" means
	// 127.0.0.1. etcd always listens on loopback.
	BindAddress string
	// FeatureGates are passed to kube-apiserver.
	FeatureGates map[string]bool
	// Flags are further flags of kube-apiserver, such as "--v=4". They come last, so
	// that they win over the usual ones.
	Flags []string
}

// Binaries gives the folder of etcd and kube-apiserver: the one that
// COLOCATE_CONTROL_PLANE names, else the one that `make control-plane` fills. The
// error says how to get them where one of the two is missing.
func Binaries() (string, error) {
	folder := os.Getenv(BinariesVariable)
	if folder == "" {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(root, filepath.FromSlash(builtBinaries))
	}
	return folder, complete(folder)
}

// complete fails where the folder lacks a program.
func complete(folder string) error {
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("%s is missing in %q: run make control-plane, which builds it (about 7 minutes the first time), or set %s",
				name, folder, BinariesVariable)
		}
	}
	return nil
}

// moduleRoot is the nearest folder above the working directory with a go.mod.
// Tests run in the folder of their package, hence the search.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if !errors.Is(err, fs.ErrNotExist) || parent == folder {
			return "", fmt.Errorf("no go.mod above the working directory: run inside the module, or set %s", BinariesVariable)
		}
		folder = parent
	}
}

// featureGates is the flag's value, in a stable order.
func (o Options) featureGates() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(o.FeatureGates)) {
		words = append(words, fmt.Sprintf("%s=%t", name, o.FeatureGates[name]))
	}
	return strings.Join(words, ",")
}
