package overhttp

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"colocate.dev/colocate/e2e/product"
)

// TestTheLogsReaderIsGone closes the pipe that the log goes to: admissions go on.
func TestTheLogsReaderIsGone(t *testing.T) {
	folder := t.TempDir()
	binary, err := product.Build(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(folder, "log")
	if err := syscall.Mkfifo(log, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(log, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // closed below, unless the test has failed
	replica, err := product.ServeReady(t.Context(), product.Options{
		Binary: binary, Log: log, Flags: []string{"--definitions", "../bench/definitions.yaml", "--grace-period", "0s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer replica.Kill()
	if text := make([]byte, 1<<16); !read(reader, text) {
		t.Fatal("nothing was logged at the start")
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	pod := []byte(`{"metadata":{"annotations":{"colocate.dev/role":"web"}},"spec":{"containers":[{"name":"web"}]}}`)
	for range 3 {
		if got := ask(t, replica.Port, pod); !bytes.Contains(got.Patch, []byte("log-forwarder")) {
			t.Errorf("reason %s, patch %s", got.Reason, got.Patch)
		}
		time.Sleep(150 * time.Millisecond) // longer than lines wait to be written
	}
	if err := replica.Stop(); err != nil {
		t.Errorf("the webhook ended with: %v", err)
	}
}

func read(reader *os.File, into []byte) bool {
	n, err := reader.Read(into)
	return err == nil && n > 0
}
