package chaos

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"colocate.dev/colocate/e2e/product"
)

// pods is how many pods that ask a test creates at least; CI takes fewer.
var pods = flag.Int("pods", 10_000, "pods to create at least during a rolling restart")

// binary is built once for all tests; errBuild says why it could not be.
var (
	binary   string
	errBuild error
)

func TestMain(m *testing.M) {
	flag.Parse()
	folder, err := os.MkdirTemp("", "colocate-chaos-")
	if err != nil {
		errBuild = err
	} else {
		defer removeAll(folder)
		binary, errBuild = product.Build(context.Background(), folder)
	}
	m.Run() // the testing package ends the program with its result
}

func removeAll(folder string) {
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
