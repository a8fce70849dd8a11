// Command etcd is the unmodified etcd server, built from its Go module because
// the tests must run where no release archive can be downloaded.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
