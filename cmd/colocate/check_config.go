package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/manifests"
)

// minimumVersion is the first Kubernetes in which matchConditions are stable.
const minimumVersion = "1.30.0"

// checkVersion asks for the API server's version; it reports whether there was an answer.
func (k *checkCommand) checkVersion(ctx context.Context) bool {
	config := rest.CopyConfig(k.config)
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(k.client.Scheme(), noCodecs(k.client.Scheme()))
	c, err := rest.UnversionedRESTClientFor(config)
	var raw []byte
	if err == nil {
		raw, err = c.Get().AbsPath("/version").DoRaw(ctx)
	}
	var info struct{ GitVersion string }
	if err == nil {
		err = json.Unmarshal(raw, &info)
	}
	if err != nil {
		k.fail("api server", "Check the kubeconfig and the network.", "no answer: %v", err)
		return false
	}
	have, err := utilversion.ParseGeneric(info.GitVersion)
	switch {
	case err != nil:
		k.warn("api server", "", "version %q cannot be understood", info.GitVersion)
	case have.LessThan(utilversion.MustParseGeneric(minimumVersion)):
		k.fail("api server", "Upgrade to Kubernetes 1.30: without matchConditions every pod would be sent to the webhook.", "version %s is too old", info.GitVersion)
	default:
		k.ok("api server", "version %s", info.GitVersion)
	}
	return true
}

// checkConfigurations compares what is installed with what this binary would install.
func (k *checkCommand) checkConfigurations(ctx context.Context) {
	wantM, wantV, err := delivered()
	if err != nil {
		k.fail("webhooks", "This is a fault of colocate; please report it.", "the embedded manifests cannot be read: %v", err)
		return
	}
	var m admissionregistrationv1.MutatingWebhookConfiguration
	switch err := k.client.Get(ctx, client.ObjectKey{Name: injector.Name}, &m); {
	case apierrors.IsNotFound(err):
		k.fail("webhooks", "Install colocate: no pod is injected.", "there is no MutatingWebhookConfiguration %q", injector.Name)
	case err != nil:
		k.fail("webhooks", "", "MutatingWebhookConfiguration %q: %v", injector.Name, err)
	default:
		k.compareMutating(ctx, &m, wantM)
	}
	var v admissionregistrationv1.ValidatingWebhookConfiguration
	switch err := k.client.Get(ctx, client.ObjectKey{Name: injector.Name}, &v); {
	case apierrors.IsNotFound(err):
		k.warn("webhooks", "Apply the delivered manifests.", "there is no ValidatingWebhookConfiguration %q: broken definitions and unknown roles are found out late", injector.Name)
	case err != nil:
		k.warn("webhooks", "", "ValidatingWebhookConfiguration %q: %v", injector.Name, err)
	default:
		if missing := missingEntries(v.Webhooks, wantV.Webhooks); len(missing) > 0 {
			k.warn("webhooks", "Apply the manifests of this version.", "ValidatingWebhookConfiguration %q lacks %s", injector.Name, strings.Join(missing, ", "))
		}
		for _, w := range v.Webhooks {
			if len(w.ClientConfig.CABundle) == 0 {
				k.warn("certificate", bundleRemedy, "the caBundle of %q is empty: it is not asked", w.Name)
			}
		}
	}
}

func missingEntries(have, want []admissionregistrationv1.ValidatingWebhook) (missing []string) {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h admissionregistrationv1.ValidatingWebhook) bool { return h.Name == w.Name }) {
			missing = append(missing, w.Name)
		}
	}
	return missing
}

// delivered are the webhook configurations of the embedded base.
func delivered() (m *admissionregistrationv1.MutatingWebhookConfiguration, v *admissionregistrationv1.ValidatingWebhookConfiguration, err error) {
	text, err := manifests.Render()
	if err != nil {
		return nil, nil, err
	}
	m, v = &admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(document, &kind); err != nil {
			return nil, nil, err
		}
		switch kind.Kind {
		case "MutatingWebhookConfiguration":
			err = yaml.Unmarshal(document, m)
		case "ValidatingWebhookConfiguration":
			err = yaml.Unmarshal(document, v)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(m.Webhooks) != 1 {
		return nil, nil, fmt.Errorf("there are %d mutating webhooks, not one", len(m.Webhooks))
	}
	return m, v, nil
}

func (k *checkCommand) compareMutating(ctx context.Context, have, want *admissionregistrationv1.MutatingWebhookConfiguration) {
	i := slices.IndexFunc(have.Webhooks, func(w admissionregistrationv1.MutatingWebhook) bool { return w.Name == injector.PodsWebhook })
	if i < 0 {
		k.fail("webhooks", "Apply the delivered manifests.", "MutatingWebhookConfiguration %q has no entry %q: no pod is injected", injector.Name, injector.PodsWebhook)
		return
	}
	h, w := &have.Webhooks[i], &want.Webhooks[0]
	var differs []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"rules", equality.Semantic.DeepEqual(h.Rules, w.Rules)},
		{"matchConditions", equality.Semantic.DeepEqual(h.MatchConditions, w.MatchConditions)},
		{"namespaceSelector", sameSelector(k.namespace, h, w)},
		{"objectSelector", h.ObjectSelector == nil || len(h.ObjectSelector.MatchLabels)+len(h.ObjectSelector.MatchExpressions) == 0},
		{"failurePolicy", equality.Semantic.DeepEqual(h.FailurePolicy, w.FailurePolicy)},
		{"reinvocationPolicy", equality.Semantic.DeepEqual(h.ReinvocationPolicy, w.ReinvocationPolicy)},
		{"matchPolicy", equality.Semantic.DeepEqual(h.MatchPolicy, w.MatchPolicy)},
		{"sideEffects", equality.Semantic.DeepEqual(h.SideEffects, w.SideEffects)},
	} {
		if !f.same {
			differs = append(differs, f.name)
		}
	}
	switch {
	case slices.Contains(differs, "matchConditions"):
		k.fail("webhooks", "Apply the manifests of this version: with other conditions an outage may hurt pods that do not ask.", "%s of %q are not those that this version installs", strings.Join(differs, ", "), injector.PodsWebhook)
	case len(differs) > 0:
		k.warn("webhooks", "Apply the manifests of this version, unless you changed this on purpose.", "%s of %q differ from what this version installs", strings.Join(differs, ", "), injector.PodsWebhook)
	default:
		k.ok("webhooks", "%q is as this version installs it", injector.PodsWebhook)
	}
	k.target = h.ClientConfig
	k.checkBundle(ctx, h.ClientConfig)
}

func sameSelector(namespace string, h, w *admissionregistrationv1.MutatingWebhook) bool {
	want := w.NamespaceSelector.DeepCopy()
	for i := range want.MatchExpressions {
		for j, value := range want.MatchExpressions[i].Values {
			if value == injector.Namespace {
				want.MatchExpressions[i].Values[j] = namespace
			}
		}
	}
	return equality.Semantic.DeepEqual(h.NamespaceSelector, want)
}
