package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"unicode"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"colocate.dev/colocate/injector"
)

// workloadsHook says in warnings what will happen to the pods of a workload, to
// the person who applies it. It allows everything.
type workloadsHook struct {
	store *Store
	log   *slog.Logger
	// leftOut is true for namespaces in which nothing is injected.
	leftOut bool
}

func newWorkloadsHook(store *Store, log *slog.Logger, leftOut bool) http.Handler {
	return &admission.Webhook{Handler: &workloadsHook{store: store, log: log, leftOut: leftOut}, LogConstructor: quietly(log)}
}

// quietly gives admission.Webhook a logger without the user and the object.
func quietly(log *slog.Logger) func(logr.Logger, *admission.Request) logr.Logger {
	l := logr.FromSlogHandler(log.Handler())
	return func(logr.Logger, *admission.Request) logr.Logger { return l }
}

// Handle is [admission.Handler].
func (h *workloadsHook) Handle(ctx context.Context, req admission.Request) (response admission.Response) {
	defer func() {
		// admission.Webhook would turn it into a refusal.
		if recover() != nil {
			h.log.LogAttrs(ctx, slog.LevelError, "no warnings because of a fault in colocate", slog.String("kind", req.Kind.Kind))
			response = admission.Allowed("")
		}
	}()
	response = admission.Allowed("")
	if req.Operation != admissionv1.Create && req.Operation != admissionv1.Update || req.SubResource != "" {
		return response
	}
	var w workload
	if err := w.read(req.Kind.Kind, req.Object.Raw); err != nil {
		return response // the API server decides on what it cannot read
	}
	for _, text := range h.judge(&w, req.Namespace) {
		response.Warnings = append(response.Warnings, warning("colocate: "+text))
	}
	return response
}

// judge says what people should know of the workload.
func (h *workloadsHook) judge(w *workload, namespace string) (out []string) {
	if w.misplaced() {
		out = append(out, fmt.Sprintf("annotation %s on the %s itself has no effect; put it on %s.metadata.annotations", injector.RoleAnnotation, w.kind, w.path))
	}
	var pod injector.Pod
	if w.template == nil {
		return out
	}
	if err := injector.ReadPod(w.template, &pod); err != nil || !pod.Asks() {
		return out
	}
	pod.AddClaimTemplates(w.claims...)
	if h.leftOut {
		return append(out, fmt.Sprintf("nothing is injected in namespace %q, which is left out: by its label %s=%s, or as a namespace of the system", namespace, injector.InjectionLabel, injector.InjectionDisabled))
	}
	d := h.store.Snapshot().Plan(&pod, injector.Creation())
	switch d.Outcome {
	case injector.Refused:
		out = append(out, fmt.Sprintf("pods of this %s will be refused (%s): %s", w.kind, d.Reason, d.Message))
	case injector.Untouched:
		out = append(out, fmt.Sprintf("nothing is injected into pods of this %s (%s): %s", w.kind, d.Reason, d.Message))
	case injector.Injected, injector.Unavailable: // as asked; or not known, but soon to be
	}
	return append(out, d.Warnings...)
}

// maxWarning is the length in bytes to which an API server may cut a warning.
const maxWarning = 256

// warning makes text fit for one: no control characters, and not too long.
func warning(text string) string {
	return cut(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?")), maxWarning)
}
