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

// binary is built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	folder, err := os.MkdirTemp("", "colocate-chaos-")
	if err == nil {
		defer os.RemoveAll(folder)
		binary, err = product.Build(context.Background(), folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
