package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"colocate.dev/colocate/injector"
)

// definitionsHook refuses a definitions ConfigMap that could not be loaded, when
// it is written. Only what is wrong within the object is a reason to refuse:
// shards arrive one by one, in any order.
type definitionsHook struct {
	loader *loader
	log    *slog.Logger
}

func newDefinitionsHook(l *loader, log *slog.Logger) http.Handler {
	return &admission.Webhook{Handler: &definitionsHook{loader: l, log: log}, LogConstructor: quietly(log)}
}

const (
	maxFaults   = 20
	maxWarnings = 15
)

// Handle is [admission.Handler].
func (h *definitionsHook) Handle(ctx context.Context, req admission.Request) admission.Response {
	if req.Operation != admissionv1.Create && req.Operation != admissionv1.Update {
		return admission.Allowed("")
	}
	var cm corev1.ConfigMap
	if err := json.Unmarshal(req.Object.Raw, &cm); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("the ConfigMap cannot be read: %w", err))
	}
	if cm.Labels[injector.DefinitionsLabel] != injector.DefinitionsVersion {
		return admission.Allowed("") // it is one no more
	}
	cm.Namespace = req.Namespace // which the object may lack
	if cm.Name == "" {
		cm.Name = cm.GenerateName
	}
	faults, warnings := h.check(&cm)
	h.log.LogAttrs(ctx, slog.LevelInfo, "definitions checked",
		slog.String("namespace", cm.Namespace), slog.String("name", cm.Name),
		slog.Int("faults", len(faults)), slog.Int("warnings", len(warnings)))
	var response admission.Response
	if len(faults) > 0 {
		response = admission.Denied(strings.Join(atMost(faults, maxFaults), "\n"))
	} else {
		response = admission.Allowed("")
	}
	for _, w := range atMost(warnings, maxWarnings) {
		response.Warnings = append(response.Warnings, warning(w))
	}
	return response
}

// check gives the faults within the object, and as warnings what else is
// doubtful, alone or together with the other ConfigMaps.
func (h *definitionsHook) check(cm *corev1.ConfigMap) (faults, warnings []string) {
	defs, read := h.loader.preview(cm)
	before := h.loader.store.Snapshot()
	_, alone := before.Recompile(defs)
	seen := map[string]bool{}
	for _, f := range slices.Concat(read, asFaults(compiled(defs, alone))) {
		seen[f.Error()] = true
		switch {
		case f.Reason == injector.ReasonUnknownColocated: // said below, where it is not elsewhere
			seen[f.Error()] = false
		case f.Warning:
			warnings = append(warnings, f.Error())
		default:
			faults = append(faults, f.Error())
		}
	}
	if len(faults) > 0 {
		return faults, warnings
	}
	others, known := h.loader.others(sourceOf(cm.Namespace, cm.Name))
	for _, p := range known {
		seen[p.Error()] = seen[p.Error()] || p.Origin.Source != sourceOf(cm.Namespace, cm.Name)
	}
	all := slices.Clone(defs)
	first := map[string]injector.Origin{}
	for _, d := range slices.Backward(defs) {
		first[d.Name] = d.Origin
	}
	for _, o := range others {
		if here, ok := first[o.Name]; ok {
			warnings = append(warnings, fmt.Sprintf("%s: definition %q stands in %s too; until one of the two is removed, it stays as it is", here, o.Name, o.Origin))
			continue
		}
		all = append(all, o)
	}
	_, together := before.Recompile(all)
	for _, f := range together {
		if !seen[f.Error()] {
			warnings = append(warnings, f.Error())
		}
	}
	return faults, warnings
}

func asFaults(problems []problem) (out []injector.Fault) {
	for _, p := range problems {
		out = append(out, p.Fault)
	}
	return out
}

// atMost cuts a list, and says by how much.
func atMost(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), fmt.Sprintf("and %d more", len(list)-n))
}
