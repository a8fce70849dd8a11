package certs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kind is a kind of webhook configuration.
type Kind string

// The kinds.
const (
	Mutating   Kind = "MutatingWebhookConfiguration"
	Validating Kind = "ValidatingWebhookConfiguration"
)

// Webhooks names entries of one webhook configuration whose caBundle is kept.
// The configuration need not exist: it is seen to when it appears.
type Webhooks struct {
	Kind    Kind
	Name    string   // of the webhook configuration
	Entries []string // names of its webhooks; others in it are not touched
}

// String is "kind/name", in lower case, as kubectl writes it.
func (w Webhooks) String() string { return strings.ToLower(string(w.Kind)) + "/" + w.Name }

// object is an empty object of the kind, with the name.
func (w Webhooks) object() client.Object {
	meta := metav1.ObjectMeta{Name: w.Name}
	if w.Kind == Mutating {
		return &admissionv1.MutatingWebhookConfiguration{ObjectMeta: meta}
	}
	return &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: meta}
}

// list is an empty list of the kind.
func (w Webhooks) list() client.ObjectList {
	if w.Kind == Mutating {
		return &admissionv1.MutatingWebhookConfigurationList{}
	}
	return &admissionv1.ValidatingWebhookConfigurationList{}
}

// read takes the named entries out of an object of the kind; nil for nil.
func (w Webhooks) read(object client.Object) *configuration {
	switch object := object.(type) {
	case *admissionv1.MutatingWebhookConfiguration:
		return readMutating(object, w.Entries)
	case *admissionv1.ValidatingWebhookConfiguration:
		return readValidating(object, w.Entries)
	}
	return nil
}

func (c *configuration) add(index int, name string, to *admissionv1.WebhookClientConfig, names []string) {
	if !slices.Contains(names, name) {
		return
	}
	e := entry{index: index, name: name, caBundle: to.CABundle}
	switch {
	case to.Service != nil:
		e.host = to.Service.Name + "." + to.Service.Namespace + ".svc"
	case to.URL != nil:
		if u, err := url.Parse(*to.URL); err == nil {
			e.host = u.Hostname()
		}
	}
	c.entries = append(c.entries, e)
}

func (c *configuration) orNil() *configuration {
	if len(c.entries) == 0 {
		return nil
	}
	return c
}

// differs reports whether an entry has another caBundle than the wanted one.
func (c *configuration) differs(want []byte) bool {
	return slices.ContainsFunc(c.entries, func(e entry) bool { return !bytes.Equal(e.caBundle, want) })
}

// patch is the JSON patch that sets the caBundle of the entries that have
// another one. It applies only to the version of the configuration that was
// read, so that no bundle overwrites one that came after it.
func (c *configuration) patch(want []byte) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	ops := []operation{{"test", "/metadata/resourceVersion", c.version}}
	for _, e := range c.entries {
		if bytes.Equal(e.caBundle, want) {
			continue
		}
		at := fmt.Sprintf("/webhooks/%d", e.index)
		ops = append(ops,
			operation{"test", at + "/name", e.name},
			operation{"add", at + "/clientConfig/caBundle", want})
	}
	return json.Marshal(ops)
}
