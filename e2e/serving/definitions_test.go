package serving

import (
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

// eventNotes polls until the ConfigMap has an Event with that reason, and returns
// the notes of all of them.
func eventNotes(t *testing.T, i *product.Installation, configMap, reason string) []string {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		list, err := i.Client.EventsV1().Events(injector.Namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		for _, e := range list.Items {
			if e.Regarding.Kind == "ConfigMap" && e.Regarding.Name == configMap && e.Reason == reason {
				notes = append(notes, e.Note)
			}
		}
		if len(notes) > 0 {
			return notes
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatalf("no Event %s on %s in %v", reason, configMap, list.Items)
		}
	}
}

func metric(t *testing.T, i *product.Installation, line string) {
	t.Helper()
	text, err := i.Replica.MetricsText(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Split(text, "\n"), line) {
		var ours []string
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "colocate_definitions") {
				ours = append(ours, l)
			}
		}
		t.Errorf("no %s in\n%s", line, strings.Join(ours, ""))
	}
}

// TestDefinitionsOverTime follows one installation through what happens to
// definitions; each step builds on the one before.
func TestDefinitionsOverTime(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{})

	// An update is in force within a second.
	for n, image := range []string{"example.org/f:1", "example.org/f:2", "example.org/f:3", "example.org/f:4"} {
		mustWrite(t, i, configMap("a", "nginx.yaml", role("nginx", "log-forwarder"), "log-forwarder.yaml", forwarder(image)))
		if took := await(t, i, "nginx", image); took > time.Second && n > 0 {
			t.Errorf("an update took %v", took)
		} else {
			t.Logf("update %d in force after %v", n+1, took)
		}
	}
	metric(t, i, "colocate_definitions_valid 1")

	// A document that cannot be loaded is refused when it is written.
	err := write(t, i, configMap("a", "nginx.yaml", broken, "log-forwarder.yaml", forwarder("example.org/f:5")))
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ConfigMap colocate-system/a[nginx.yaml]:5:1: a tab ") {
		t.Errorf("a broken document: %v", err)
	}
	if err := write(t, i, configMap("b", "a.yaml", role("nginx"))); !apierrors.IsForbidden(err) {
		t.Errorf("a key of another name: %v", err)
	}

	// Without that hook it gets in, and nothing happens to its role; the others go on.
	validating := i.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if err := validating.Delete(t.Context(), injector.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for write(t, i, configMap("a", "nginx.yaml", broken, "log-forwarder.yaml", forwarder("example.org/f:5"))) != nil {
		if time.Now().After(deadline) {
			t.Fatal("the validating webhook is still called")
		}
		time.Sleep(100 * time.Millisecond)
	}
	await(t, i, "nginx", "example.org/f:5")
	notes := eventNotes(t, i, "a", "DefinitionsFaulty")
	if len(notes) != 1 || !strings.Contains(notes[0], `a[nginx.yaml]:5:1: a tab `) || !strings.Contains(notes[0], `"nginx" stays as it was read before`) {
		t.Errorf("events: %q", notes)
	}
	metric(t, i, "colocate_definitions_valid 0")

	// One that breaks a rule makes its role refused.
	claim := forwarder("example.org/f:6") + "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
	mustWrite(t, i, configMap("a", "nginx.yaml", role("nginx", "log-forwarder"), "log-forwarder.yaml", claim, "other.yaml", role("other")))
	await(t, i, "nginx", "persistent state")
	await(t, i, "other", "example.org/main:1")

	// One role in two ConfigMaps: it stays as it was, and both are named.
	mustWrite(t, i, configMap("a", "nginx.yaml", role("nginx", "log-forwarder"), "log-forwarder.yaml", forwarder("example.org/f:7")))
	await(t, i, "nginx", "example.org/f:7")
	eventNotes(t, i, "a", "DefinitionsInOrder")
	mustWrite(t, i, configMap("b", "nginx.yaml", role("nginx")))
	notes = eventNotes(t, i, "b", "DefinitionsFaulty")
	if !strings.Contains(notes[0], "ConfigMap colocate-system/a[nginx.yaml] and in ConfigMap colocate-system/b[nginx.yaml]") {
		t.Errorf("events: %q", notes)
	}
	await(t, i, "nginx", "example.org/f:7")

	// Deleting one of several removes its roles; deleting the last removes nothing.
	mustWrite(t, i, configMap("b", "third.yaml", role("third")))
	await(t, i, "third", "example.org/main:1")
	configMaps := i.Client.CoreV1().ConfigMaps(injector.Namespace)
	if err := configMaps.Delete(t.Context(), "b", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, i, "third", `role "third" is not defined`)
	if err := configMaps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	await(t, i, "nginx", "example.org/f:7")
	metric(t, i, "colocate_definitions_valid 0")
}

// TestNothingThatLoads is a replica that starts when no document can be used.
func TestNothingThatLoads(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{}, "--grace-period=0s")
	if err := i.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(t.Context(), injector.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := i.Replica.Stop(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for write(t, i, configMap("a", "nginx.yaml", broken)) != nil {
		if time.Now().After(deadline) {
			t.Fatal("the ConfigMap could not be written")
		}
		time.Sleep(100 * time.Millisecond)
	}
	again, err := product.Serve(product.Options{Binary: i.Binary, Kubeconfig: i.Kubeconfig, Port: i.Replica.Port, Log: i.Folder + "/again.log", Flags: []string{"--grace-period=0s"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Kill)
	const want = "[-]definitions failed: none of 1 documents can be used: ConfigMap colocate-system/a[nginx.yaml]:5:1: a tab "
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := again.Ready(t.Context())
		if err == nil {
			t.Fatal("ready")
		}
		if strings.Contains(err.Error(), want) {
			break
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatalf("%v\nwant %s", err, want)
		}
	}
	mustWrite(t, i, configMap("a", "nginx.yaml", role("nginx")))
	if err := again.WaitReady(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	await(t, i, "nginx", "example.org/main:1")
}
