// Package certs tests the certificates against a real API server, with no more
// rights than the package certs says that it needs.
package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admission "k8s.io/api/admission/v1"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/certs"
	"colocate.dev/colocate/e2e/apiserver"
)

const (
	namespace = "hooks-system"
	secret    = "hooks-ca"
	user      = "hooks"
	entryName = "all.example.org"
)

// suite is an API server that calls three webhooks for every ConfigMap in the
// namespace "default", each served by a replica of its own.
type suite struct {
	*testing.T
	server   *apiserver.Server
	admin    client.Client
	replicas []*certs.Authority
	patches  atomic.Int64
	updates  atomic.Int64
	created  int
}

func newSuite(t *testing.T, replicas int, change func(*certs.Options)) *suite {
	s := &suite{T: t, server: apiserver.StartForTest(t, apiserver.Options{})}
	admin, err := client.New(s.server.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.admin = admin
	if err := s.server.CreateNamespace(t.Context(), namespace, nil); err != nil {
		t.Fatal(err)
	}
	s.grant()
	var urls []string
	var listeners []net.Listener
	for range replicas {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		urls = append(urls, "https://"+l.Addr().String()+"/")
	}
	for i := range replicas {
		s.replicas = append(s.replicas, s.replica(listeners[i], change))
	}
	s.create(configuration(urls))
	return s
}

func (s *suite) create(objects ...client.Object) {
	s.Helper()
	for _, o := range objects {
		if err := s.admin.Create(s.Context(), o); err != nil {
			s.Fatal(err)
		}
	}
}

// grant gives the user the rights in the documentation of package certs.
func (s *suite) grant() {
	subjects := []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user}}
	meta := metav1.ObjectMeta{Name: user, Namespace: namespace}
	s.create(
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"create"}},
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{secret}, Verbs: []string{"get", "list", "watch", "update"}},
		}},
		&rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: []rbacv1.PolicyRule{{
			APIGroups:     []string{"admissionregistration.k8s.io"},
			Resources:     []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"},
			ResourceNames: []string{user}, Verbs: []string{"get", "list", "watch", "patch"},
		}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: user}, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user}},
	)
}

// entries are the names of the webhooks, one for each replica.
func entries(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("r%d.%s", i, entryName))
	}
	return names
}

func configuration(urls []string) *admissionregistration.ValidatingWebhookConfiguration {
	none, fail := admissionregistration.SideEffectClassNone, admissionregistration.Fail
	seconds := int32(5)
	c := &admissionregistration.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: user}}
	for i, name := range entries(len(urls)) {
		c.Webhooks = append(c.Webhooks, admissionregistration.ValidatingWebhook{
			Name: name, ClientConfig: admissionregistration.WebhookClientConfig{URL: &urls[i]},
			SideEffects: &none, FailurePolicy: &fail, TimeoutSeconds: &seconds, AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "default"}},
			Rules: []admissionregistration.RuleWithOperations{{
				Operations: []admissionregistration.OperationType{admissionregistration.Create},
				Rule:       admissionregistration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		})
	}
	return c
}

// replica serves admissions on the listener until the test ends.
func (s *suite) replica(l net.Listener, change func(*certs.Options)) *certs.Authority {
	config := s.server.Config()
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	connection, err := certs.Connect(config)
	if err != nil {
		s.Fatal(err)
	}
	options := certs.Options{
		Connection: connection, Namespace: namespace, SecretName: secret,
		IPs:      []net.IP{net.IPv4(127, 0, 0, 1)},
		Webhooks: []certs.Webhooks{{Kind: certs.Validating, Name: user, Entries: entries(3)}},
		Logger:   slog.New(slog.NewTextHandler(logWriter{s.T}, nil)),
		Hooks: certs.Hooks{Wrote: func(object, _ string) {
			if strings.HasPrefix(object, "secret/") {
				s.updates.Add(1)
			} else {
				s.patches.Add(1)
			}
		}},
	}
	if change != nil {
		change(&options)
	}
	source, err := certs.NewAuthority(options)
	if err != nil {
		s.Fatal(err)
	}
	server := &http.Server{
		Handler:           http.HandlerFunc(admit),
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: source.GetCertificate},
		ReadHeaderTimeout: time.Second,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	// Every admission is a handshake: so each tests the certificate of the moment.
	server.SetKeepAlivesEnabled(false)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.ServeTLS(l, "", "") })
	wg.Go(func() {
		if err := source.Start(ctx); err != nil {
			s.Errorf("start: %v", err)
		}
	})
	s.Cleanup(func() {
		cancel()
		_ = server.Close()
		wg.Wait()
	})
	return source
}

type logWriter struct{ t *testing.T }

func (w logWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// admit allows everything.
func admit(w http.ResponseWriter, r *http.Request) {
	var review admission.AdmissionReview
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	review.Response = &admission.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	_ = json.NewEncoder(w).Encode(review)
}

// call makes the API server call all webhooks, in a dry run.
func (s *suite) call() error {
	s.created++
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	return s.admin.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("c%d", s.created)},
	}, client.DryRunAll)
}

// until waits for ok, and says how long that took.
func (s *suite) until(within time.Duration, ok func() error) time.Duration {
	s.Helper()
	begin := time.Now()
	for {
		err := ok()
		if err == nil {
			return time.Since(begin)
		}
		if time.Since(begin) > within {
			s.Fatalf("not within %s: %v", within, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// data is the Secret's; nil where there is none.
func (s *suite) data() map[string][]byte {
	s.Helper()
	var got corev1.Secret
	err := s.admin.Get(s.Context(), client.ObjectKey{Namespace: namespace, Name: secret}, &got)
	if err != nil && !apierrors.IsNotFound(err) {
		s.Fatal(err)
	}
	return got.Data
}

func TestAgainstARealAPIServer(t *testing.T) {
	s := newSuite(t, 3, func(o *certs.Options) { o.RotationDelay = 2 * time.Second })
	took := s.until(10*time.Second, func() error {
		return errors.Join(s.replicas[0].Trusted(), s.replicas[1].Trusted(), s.replicas[2].Trusted(), s.call())
	})
	t.Logf("agreed after %s with %d writes of the Secret and %d patches", took, s.updates.Load(), s.patches.Load())
	if n := s.updates.Load(); n != 1 {
		t.Errorf("the Secret was written %d times", n)
	}

	t.Run("reset", func(t *testing.T) {
		before := s.patches.Load()
		s.reset()
		took := s.until(2*time.Second, s.healed(before))
		t.Logf("healed after %s with %d patches", took, s.patches.Load()-before)
	})
	t.Run("recreated", func(t *testing.T) {
		var was admissionregistration.ValidatingWebhookConfiguration
		if err := s.admin.Get(t.Context(), client.ObjectKey{Name: user}, &was); err != nil {
			t.Fatal(err)
		}
		if err := s.admin.Delete(t.Context(), &was); err != nil {
			t.Fatal(err)
		}
		was.ResourceVersion, was.UID = "", ""
		for i := range was.Webhooks {
			was.Webhooks[i].ClientConfig.CABundle = nil
		}
		s.create(&was)
		t.Logf("healed after %s", s.until(2*time.Second, func() error {
			return errors.Join(s.replicas[0].Trusted(), s.call())
		}))
	})
	t.Run("Secret deleted", func(t *testing.T) {
		was := s.data()
		if err := s.admin.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secret}}); err != nil {
			t.Fatal(err)
		}
		s.until(2*time.Second, func() error {
			if err := s.call(); err != nil {
				t.Fatalf("refused: %v", err)
			}
			if now := s.data(); !bytes.Equal(now[certs.KeyCert], was[certs.KeyCert]) {
				return errors.New("the authority is not back")
			}
			return nil
		})
	})
	t.Run("rotation under load", s.rotate)
	t.Run("API server restarted", s.restart)
}

// rotate asks for a rotation, and calls all the while.
func (s *suite) rotate(t *testing.T) {
	was, before := s.data(), s.patches.Load()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"stringData":{"`+certs.KeyRotate+`":"now"}}`))
	if err := s.admin.Patch(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secret}}, patch); err != nil {
		t.Fatal(err)
	}
	calls := 0
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); calls++ {
		if err := s.call(); err != nil {
			t.Fatalf("refused: %v", err)
		}
	}
	now := s.data()
	if bytes.Equal(was[certs.KeyCert], now[certs.KeyCert]) || !bytes.Equal(was[certs.KeyCert], now[certs.KeyPrevious]) {
		t.Error("no rotation")
	}
	// A patch that another replica made too changes nothing, and is not stored.
	if n := s.patches.Load() - before; n > 3 {
		t.Errorf("%d patches", n)
	}
	t.Logf("%d calls of three webhooks, none refused", calls)
}

// restart kills the API server and starts it again.
func (s *suite) restart(t *testing.T) {
	before := s.patches.Load() + s.updates.Load()
	if err := s.server.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until(10*time.Second, s.call)
	patches := s.patches.Load()
	s.reset()
	t.Logf("healed after %s", s.until(7*time.Second, s.healed(patches)))
	if n := s.patches.Load() + s.updates.Load() - before; n > 3 {
		t.Errorf("%d writes", n)
	}
}

// reset empties every caBundle, as somebody else's apply does.
func (s *suite) reset() {
	s.Helper()
	var c admissionregistration.ValidatingWebhookConfiguration
	if err := s.admin.Get(s.Context(), client.ObjectKey{Name: user}, &c); err != nil {
		s.Fatal(err)
	}
	for i := range c.Webhooks {
		c.Webhooks[i].ClientConfig.CABundle = nil
	}
	if err := s.admin.Update(s.Context(), &c); err != nil {
		s.Fatal(err)
	}
}

// healed is nil where there have been patches since, and all webhooks answer.
func (s *suite) healed(patches int64) func() error {
	return func() error {
		if s.patches.Load() == patches {
			return errors.New("nobody has patched")
		}
		return s.call()
	}
}
