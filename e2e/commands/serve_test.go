package commands

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"colocate.dev/colocate/e2e/product"
)

// laptop is `colocate serve --definitions FILE`, without a cluster.
type laptop struct {
	command *exec.Cmd
	// stdout and stderr are files.
	stdout, stderr string
	port           int
	ended          chan error
}

func serve(t *testing.T, flags ...string) *laptop {
	t.Helper()
	folder := t.TempDir()
	binary, err := product.Build(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "role-manifest.yml")
	if err := os.WriteFile(file, []byte(strings.Replace(manifest, "IMAGE", "example.org/x:1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &laptop{ended: make(chan error, 1)}
	if l.port, err = product.FreePort("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	l.command = exec.Command(binary, append([]string{
		"serve", "--definitions", file, "--bind-address", "127.0.0.1",
		"--port", fmt.Sprint(l.port), "--metrics-port", "0", "--probe-port", "0",
	}, flags...)...)
	l.command.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(folder, "none"))
	l.stdout, l.stderr = filepath.Join(folder, "stdout"), filepath.Join(folder, "stderr")
	for name, to := range map[string]*io.Writer{l.stdout: &l.command.Stdout, l.stderr: &l.command.Stderr} {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		*to = f
	}
	if err := l.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { l.ended <- l.command.Wait() }()
	t.Cleanup(func() { _ = l.command.Process.Kill() })
	for {
		conn, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", l.port))
		if err == nil {
			_ = conn.Close()
			return l
		}
		select {
		case err := <-l.ended:
			t.Fatalf("serve ended: %v\n%s", err, content(t, l.stderr))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// end waits for the process and returns its error and how long it took.
func (l *laptop) end(t *testing.T, signals ...os.Signal) (time.Duration, error) {
	t.Helper()
	started := time.Now()
	for _, s := range signals {
		if err := l.command.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
	}
	select {
	case err := <-l.ended:
		return time.Since(started), err
	case <-time.After(20 * time.Second):
		t.Fatalf("it does not end\n%s", content(t, l.stderr))
		return 0, nil
	}
}

// TestServeOnALaptop posts a review and ends the server in good order.
func TestServeOnALaptop(t *testing.T) {
	l := serve(t, "--grace-period", "1s", "--log-level", "debug")
	review := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Pod"},` +
		`"resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE","namespace":"default","object":` +
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"example.org/nginx:1"}]}}}}`

	// A client without the authority is a failed handshake, which net/http logs.
	strict := &http.Client{Timeout: 5 * time.Second}
	if r, err := strict.Post(fmt.Sprintf("https://127.0.0.1:%d/mutate", l.port), "application/json", strings.NewReader(review)); err == nil {
		r.Body.Close()
		t.Error("a self-signed certificate is trusted")
	}
	answer := post(t, l, review)
	if answer.Response == nil || !answer.Response.Allowed || !strings.Contains(string(answer.Response.Patch), "log-forwarder") {
		t.Errorf("the answer is %+v", answer.Response)
	}
	took, err := l.end(t, syscall.SIGTERM)
	if err != nil || took > 10*time.Second {
		t.Errorf("SIGTERM: %v after %s", err, took)
	}
	if !strings.HasPrefix(content(t, l.stdout), "-----BEGIN CERTIFICATE-----") {
		t.Errorf("no authority on stdout: %q", content(t, l.stdout))
	}
	for line := range strings.Lines(content(t, l.stderr)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
	if !strings.Contains(content(t, l.stderr), "handshake") {
		t.Errorf("the failed handshake is not logged:\n%s", content(t, l.stderr))
	}
}

// post sends a review, trusting what was printed.
func post(t *testing.T, l *laptop, review string) admissionv1.AdmissionReview {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	response, err := client.Post(fmt.Sprintf("https://127.0.0.1:%d/mutate", l.port), "application/json", strings.NewReader(review))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(content(t, l.stdout))) {
		t.Fatal("stdout holds no authority")
	}
	if _, err := response.TLS.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: pool, DNSName: "localhost"}); err != nil {
		t.Errorf("the authority on stdout does not vouch for the certificate: %v", err)
	}
	var answer admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return answer
}

// TestASecondSignalEndsAtOnce: whoever asks twice does not want to wait.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	l := serve(t, "--grace-period", "1h")
	took, err := l.end(t, syscall.SIGTERM, os.Interrupt)
	if err == nil || took > 5*time.Second {
		t.Errorf("%v after %s", err, took)
	}
}

// TestPipes holds what a shell does to a command: the reader goes away, and
// Ctrl-C while it waits for input.
func TestPipes(t *testing.T) {
	binary, err := product.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", `"$0" schema | head -c 1`, binary)
	if out, err := c.CombinedOutput(); err != nil || string(out) != "{" {
		t.Errorf("a closed pipe: %v: %q", err, out)
	}
	for _, args := range [][]string{{"build", "-"}, {"inject", "-f", "-", "-m", "MANIFEST"}, {"explain", "-f", "-", "-m", "MANIFEST"}} {
		file := filepath.Join(t.TempDir(), "role-manifest.yml")
		if err := os.WriteFile(file, []byte(strings.Replace(manifest, "IMAGE", "example.org/x:1", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		for n := range args {
			args[n] = strings.Replace(args[n], "MANIFEST", file, 1)
		}
		c := exec.CommandContext(ctx, binary, args...)
		stdin, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = stdin.Close() }()
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil || out.String() != "" || errs.String() != "colocate: interrupted\n" {
			t.Errorf("%v: %v: %q %q", args, err, out.String(), errs.String())
		}
	}
}
