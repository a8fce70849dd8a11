package commands

import (
	"net"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/injector"
)

// TestCheck breaks one thing after the other; what runs before is healthy again.
func TestCheck(t *testing.T) {
	i := installed(t)
	healthy(t, i)

	broken := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "broken", Namespace: injector.Namespace, Labels: map[string]string{injector.DefinitionsLabel: injector.DefinitionsVersion}},
		Data:       map[string]string{"web.yaml": "apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: web}\nspec: {colocated: [missing]}\n"},
	}
	configMaps := i.Client.CoreV1().ConfigMaps(injector.Namespace)
	if _, err := configMaps.Create(t.Context(), broken, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	found, code := check(t, i)
	wants(t, found, "definitions", "fail", `ConfigMap colocate-system/broken[web.yaml]: role "web" lists colocated container "missing"`)
	wants(t, found, "dry-run pod", "ok", `role "nginx"`)
	exitCode(t, code, 1)
	if err := configMaps.Delete(t.Context(), "broken", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	found, _ = check(t, i, "--role", "ngnix")
	wants(t, found, "dry-run pod", "warn", `choose a role that fits`)
	found, _ = check(t, i, "--in", "nowhere")
	wants(t, found, "dry-run pod", "warn", `Choose a namespace with --in`)

	// Without its keeper, the configuration stays as it is broken.
	i.Replica.Kill()
	found, code = check(t, i)
	wants(t, found, "dry-run pod", "fail", "failed calling webhook")
	exitCode(t, code, 1)
	changed(t, i)
	timesOut(t, i)

	configurations := i.Client.AdmissionregistrationV1()
	if err := configurations.MutatingWebhookConfigurations().Delete(t.Context(), injector.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := configurations.ValidatingWebhookConfigurations().Delete(t.Context(), injector.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Client.CoreV1().Pods("default").Create(t.Context(), pod("bare", "default"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	found, code = check(t, i)
	wants(t, found, "webhooks", "fail", `there is no MutatingWebhookConfiguration "colocate"`)
	wants(t, found, "webhooks", "warn", `there is no ValidatingWebhookConfiguration "colocate"`)
	wants(t, found, "endpoints", "fail", `no replica is ready behind Service "colocate"`)
	wants(t, found, "dry-run pod", "fail", "comes back bare")
	wants(t, found, "bare pods", "fail", "default/bare")
	exitCode(t, code, 1)

	i.Server.KillAPIServer()
	found, code = check(t, i, "--timeout", "2s")
	wants(t, found, "api server", "fail", "no answer")
	exitCode(t, code, 1)
}

func healthy(t *testing.T, i *product.Installation) {
	t.Helper()
	found, code := check(t, i)
	for _, f := range found {
		if f.Level != "ok" {
			t.Errorf("a healthy installation has %+v", f)
		}
	}
	wants(t, found, "endpoints", "ok", "not needed: the webhook is reached at https://127.0.0.1")
	wants(t, found, "certificate", "ok", "presents a certificate that the caBundle trusts")
	wants(t, found, "certificate", "ok", "holds the authority of Secret")
	wants(t, found, "dry-run pod", "ok", "comes back injected")
	wants(t, found, "bare pods", "ok", "every pod")
	exitCode(t, code, 0)
	text, errs, code := command(t, i, "check")
	if code != 0 || errs != "" || !strings.Contains(text, "ok    webhooks       ") {
		t.Errorf("exit code %d\n%s%s", code, text, errs)
	}
}

// changed edits the configuration of a webhook that does not run.
func changed(t *testing.T, i *product.Installation) {
	t.Helper()
	for _, step := range []struct {
		name               string
		edit               func(*admissionregistrationv1.MutatingWebhook)
		check, level, text string
	}{
		{"matchConditions", func(w *admissionregistrationv1.MutatingWebhook) { w.MatchConditions = w.MatchConditions[:1] }, "webhooks", "fail", "matchConditions of"},
		{"failurePolicy", func(w *admissionregistrationv1.MutatingWebhook) {
			ignore := admissionregistrationv1.Ignore
			w.FailurePolicy = &ignore
		}, "webhooks", "warn", "failurePolicy of"},
		{"foreign caBundle", func(w *admissionregistrationv1.MutatingWebhook) { w.ClientConfig.CABundle = i.Server.Config().CAData }, "certificate", "fail", "does not hold the authority"},
		{"empty caBundle", func(w *admissionregistrationv1.MutatingWebhook) { w.ClientConfig.CABundle = nil }, "certificate", "fail", "the caBundle is empty"},
		{"service", func(w *admissionregistrationv1.MutatingWebhook) {
			w.ClientConfig.URL = nil
			w.ClientConfig.Service = &admissionregistrationv1.ServiceReference{Namespace: injector.Namespace, Name: injector.Name}
		}, "endpoints", "fail", "no replica is ready"},
	} {
		original := configure(t, i, step.edit)
		found, code := check(t, i)
		wants(t, found, step.check, step.level, step.text)
		exitCode(t, code, 1)
		configure(t, i, func(w *admissionregistrationv1.MutatingWebhook) { *w = original })
	}
}

// timesOut points the webhook at a port that takes connections and says nothing.
func timesOut(t *testing.T, i *product.Installation) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	url := "https://" + listener.Addr().String() + "/mutate"
	second := int32(1)
	original := configure(t, i, func(w *admissionregistrationv1.MutatingWebhook) {
		w.ClientConfig.URL, w.TimeoutSeconds = &url, &second
	})
	found, code := check(t, i)
	wants(t, found, "dry-run pod", "fail", "firewall")
	exitCode(t, code, 1)
	configure(t, i, func(w *admissionregistrationv1.MutatingWebhook) { *w = original })
}

// configure edits the webhook for pods and returns what it was. API servers learn
// of it a moment later.
func configure(t *testing.T, i *product.Installation, edit func(*admissionregistrationv1.MutatingWebhook)) admissionregistrationv1.MutatingWebhook {
	t.Helper()
	configurations := i.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	c, err := configurations.Get(t.Context(), injector.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	original := *c.Webhooks[0].DeepCopy()
	edit(&c.Webhooks[0])
	if _, err := configurations.Update(t.Context(), c, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	return original
}

func exitCode(t *testing.T, have, want int) {
	t.Helper()
	if have != want {
		t.Errorf("exit code %d, want %d", have, want)
	}
}
