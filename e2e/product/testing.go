package product

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"k8s.io/client-go/kubernetes"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/process"
)

// Installation is an API server with colocate installed and one replica that
// serves it by URL on loopback.
type Installation struct {
	Server  *apiserver.Server
	Client  kubernetes.Interface
	Replica *Replica
	// Binary is the built command; Folder is for files of the test.
	Binary, Folder string
	// Kubeconfig has the rights of the webhook's ServiceAccount.
	Kubeconfig string
}

// InstallForTest builds, installs and starts everything; it ends with the test,
// which fails, with what to do, where something cannot be had.
func InstallForTest(t testing.TB, o apiserver.Options, flags ...string) *Installation {
	t.Helper()
	i := &Installation{Folder: t.TempDir(), Server: apiserver.StartForTest(t, o)}
	var err error
	if i.Binary, err = Build(t.Context(), i.Folder); err != nil {
		t.Fatal(err)
	}
	if i.Client, err = kubernetes.NewForConfig(i.Server.Config()); err != nil {
		t.Fatal(err)
	}
	for attempt := 1; i.Replica == nil; attempt++ {
		err := i.serve(t.Context(), flags)
		if err != nil && (attempt == attempts || !errors.Is(err, process.ErrPortTaken)) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		i.Replica.Kill()
		if t.Failed() {
			t.Logf("the webhook's last lines:\n%s", i.Replica.Tail())
		}
	})
	return i
}

// attempts are made where another program takes a port between our looking for a
// free one and our using it.
const attempts = 3

// serve installs the webhook at a free port and starts it there.
func (i *Installation) serve(ctx context.Context, flags []string) error {
	port, err := FreePort("127.0.0.1")
	if err != nil {
		return err
	}
	if i.Kubeconfig, err = Install(ctx, i.Server, "https://127.0.0.1:"+strconv.Itoa(port), i.Folder); err != nil {
		return err
	}
	log := filepath.Join(i.Folder, "webhook.log")
	i.Replica, err = ServeReady(ctx, Options{Binary: i.Binary, Kubeconfig: i.Kubeconfig, Port: port, Log: log, Flags: flags})
	return err
}

// Command runs the built binary and returns what it printed, and the exit code.
func (i *Installation) Command(t testing.TB, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), i.Binary, args...)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader([]byte(stdin)), &out, &errs
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatalf("colocate %v: %v", args, err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// Define builds the definitions of a role manifest and applies them.
func (i *Installation) Define(t testing.TB, args ...string) {
	t.Helper()
	out, errs, code := i.Command(t, "", append([]string{"build"}, args...)...)
	if code != 0 {
		t.Fatalf("colocate build %v: exit code %d\n%s", args, code, errs)
	}
	objects, err := apiserver.Objects([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Server.Apply(t.Context(), objects...); err != nil {
		t.Fatal(err)
	}
}

// Admissions is [Replica.Admissions]; it ends the test where that fails.
func (i *Installation) Admissions(t testing.TB) string {
	t.Helper()
	lines, err := i.Replica.Admissions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
