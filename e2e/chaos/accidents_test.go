package chaos

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

// calm is how long pods are created before and after an accident.
const calm = time.Second

// accident lets pods be created around what happens, and returns what was seen
// after the cluster serves again.
func (c *cluster) accident(t *testing.T, what string, happen func()) *load {
	t.Helper()
	l := c.load(t)
	time.Sleep(calm)
	happen()
	c.waitServing(t)
	time.Sleep(calm)
	l.finish(t, what)
	return l
}

// TestAccidents runs one after the other on one installation; each leaves it
// serving with three replicas.
func TestAccidents(t *testing.T) {
	c := newCluster(t, apiserver.Options{})
	t.Run("one replica is killed", func(t *testing.T) { c.killOne(t) })
	t.Run("all replicas are killed", func(t *testing.T) { c.killAll(t) })
	t.Run("the API server restarts", func(t *testing.T) { c.restartAPIServer(t) })
	t.Run("etcd restarts", func(t *testing.T) { c.restartEtcd(t) })
	t.Run("the definitions change and go", func(t *testing.T) { c.flipDefinitions(t) })
	t.Run("the Secret is deleted and damaged", func(t *testing.T) { c.damageSecret(t) })
	t.Run("the caBundle is emptied", func(t *testing.T) { c.emptyBundle(t) })
	t.Run("the authority is rotated", func(t *testing.T) { c.rotate(t) })
}

// killOne: pods may meet the dead endpoint until the poller has taken it out;
// then the others serve.
func (c *cluster) killOne(t *testing.T) {
	l := c.accident(t, "one replica killed", func() {
		c.replica(0).Kill()
		time.Sleep(time.Second)
		c.start(t, 0)
	})
	l.wantNone(t, "one replica killed", refused, noServer)
	if gap := l.asking.window(unreached); gap > 2*time.Second {
		t.Errorf("pods were refused for %s after one of three replicas was killed", gap)
	}
	if n := l.others.count(unreached); n > 0 {
		t.Errorf("%d pods that do not ask were refused", n)
	}
}

// killAll: annotated pods wait, the others are not touched, and it heals without help.
func (c *cluster) killAll(t *testing.T) {
	l := c.accident(t, "all replicas killed", func() {
		for n := range replicas {
			c.replica(n).Kill()
		}
		time.Sleep(2 * time.Second)
		for n := range replicas {
			c.start(t, n)
		}
	})
	l.wantNone(t, "all replicas killed", refused, noServer)
	if l.asking.count(unreached) == 0 {
		t.Error("no pod was refused while there was no replica: the test saw nothing")
	}
	if n := l.others.count(unreached); n > 0 {
		t.Errorf("%d pods that do not ask were refused", n)
	}
}

func (c *cluster) restartAPIServer(t *testing.T) {
	l := c.accident(t, "API server restarted", func() {
		if err := c.server.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	l.wantNone(t, "API server restarted", refused)
}

func (c *cluster) restartEtcd(t *testing.T) {
	l := c.accident(t, "etcd restarted", func() {
		if err := c.server.RestartEtcd(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	l.wantNone(t, "etcd restarted", refused, unreached)
}

// flipDefinitions deletes the last ConfigMap, brings it back, and changes it ten
// times: pods of the role are injected all along.
func (c *cluster) flipDefinitions(t *testing.T) {
	maps := c.client.CoreV1().ConfigMaps(manifests.Namespace)
	l := c.accident(t, "definitions changed", func() {
		cm, err := maps.Get(t.Context(), injector.DefinitionsName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := maps.Delete(t.Context(), cm.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		cm.ResourceVersion, cm.UID = "", ""
		if cm, err = maps.Create(t.Context(), cm, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			cm.Data["extra.yaml"] = fmt.Sprintf("apiVersion: colocate.dev/v1\nkind: ColocatedContainer\nmetadata: {name: extra}\nspec: {container: {name: extra, image: \"example.org/extra:%d\"}}\n", i)
			if cm, err = maps.Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	l.wantNone(t, "definitions changed", refused, unreached, noServer)
}

func (c *cluster) damageSecret(t *testing.T) {
	secrets := c.client.CoreV1().Secrets(manifests.Namespace)
	l := c.accident(t, "Secret deleted and damaged", func() {
		if err := secrets.Delete(t.Context(), injector.CASecretName, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		c.waitSecret(t, func(s *corev1.Secret) bool { return len(s.Data[corev1.TLSCertKey]) > 0 })
		_, err := secrets.Patch(t.Context(), injector.CASecretName, types.MergePatchType, []byte(`{"data":{"tls.key":"AAAA"}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c.waitSecret(t, func(s *corev1.Secret) bool { return len(s.Data[corev1.TLSPrivateKeyKey]) > 10 })
	})
	l.wantNone(t, "Secret deleted and damaged", refused, unreached, noServer)
}

func (c *cluster) waitSecret(t *testing.T, good func(*corev1.Secret) bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		s, err := c.client.CoreV1().Secrets(manifests.Namespace).Get(t.Context(), injector.CASecretName, metav1.GetOptions{})
		if err == nil && good(s) {
			return
		}
		if err != nil && !apierrors.IsNotFound(err) || time.Now().After(deadline) {
			t.Fatalf("the Secret was not mended: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// emptyBundle does what a careless apply does; pods may be refused until it is
// healed, which must be within two seconds.
func (c *cluster) emptyBundle(t *testing.T) {
	hooks := c.client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	l := c.accident(t, "caBundle emptied", func() {
		_, err := hooks.Patch(t.Context(), injector.Name, types.JSONPatchType, []byte(`[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
	})
	l.wantNone(t, "caBundle emptied", refused, noServer)
	if gap := l.asking.window(unreached); gap > 2*time.Second {
		t.Errorf("pods were refused for %s after the caBundle was emptied", gap)
	}
}

// rotate asks for a new authority and waits until it signs; nothing may be refused.
func (c *cluster) rotate(t *testing.T) {
	before, err := c.client.CoreV1().Secrets(manifests.Namespace).Get(t.Context(), injector.CASecretName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := c.accident(t, "authority rotated", func() {
		_, err := c.client.CoreV1().Secrets(manifests.Namespace).Patch(t.Context(), injector.CASecretName, types.MergePatchType, []byte(`{"stringData":{"rotate":"now"}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c.waitSecret(t, func(s *corev1.Secret) bool {
			return string(s.Data[corev1.TLSCertKey]) != string(before.Data[corev1.TLSCertKey])
		})
	})
	l.wantNone(t, "authority rotated", refused, unreached, noServer)
}
