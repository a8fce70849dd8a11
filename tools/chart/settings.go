package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setting is a place where the chart says something else than the manifests, or
// may. Its lines stand at the place's indentation; the line DEFAULT is replaced by
// what would have been written, and the word INDENT by the column of what is below.
type setting struct {
	path  string // the kind, then the fields; [] is any item of a list
	lines []string
}

const defaultLine = "DEFAULT"

// settings are all of them. What they read must be in values.yaml and its schema.
func settings() []setting {
	const pod, webhook = "Deployment.spec.template.spec", "MutatingWebhookConfiguration.webhooks[]"
	return []setting{
		{"Namespace", []string{"{{- if $.Values.createNamespace }}", defaultLine, "{{- end }}"}},
		{"Deployment.spec.replicas", []string{
			"{{- if $.Values.replicas }}", "replicas: {{ $.Values.replicas }}", "{{- else }}", defaultLine, "{{- end }}",
		}},
		{pod + ".containers[].args", []string{
			defaultLine, "{{- range $.Values.extraArgs }}", "- {{ . | quote }}", "{{- end }}",
		}},
		{pod + ".containers[].image", []string{"image: {{ $.Values.image | quote }}"}},
		{pod + ".containers[].imagePullPolicy", []string{"imagePullPolicy: {{ $.Values.imagePullPolicy }}"}},
		{pod + ".containers[].resources", []string{"resources:", "  {{- toYaml $.Values.resources | nindent INDENT }}"}},
		{pod + ".nodeSelector", []string{"nodeSelector:", "  {{- toYaml $.Values.nodeSelector | nindent INDENT }}"}},
		{pod + ".serviceAccountName", []string{
			"{{- with $.Values.imagePullSecrets }}", "imagePullSecrets:",
			"{{- range . }}", "- name: {{ . | quote }}", "{{- end }}", "{{- end }}",
			defaultLine,
			"{{- with $.Values.tolerations }}", "tolerations:", "  {{- toYaml . | nindent INDENT }}", "{{- end }}",
		}},
		{webhook + ".failurePolicy", []string{"failurePolicy: {{ $.Values.failurePolicy }}"}},
	}
}

// apply gives the lines of a place: those of its setting, or the given ones.
func (w *writer) apply(path, indent string, lines []string) []string {
	at := slices.IndexFunc(w.settings, func(s setting) bool { return s.path == path })
	if at < 0 {
		return lines
	}
	w.used[path] = true
	var result []string
	for _, line := range w.settings[at].lines {
		if line == defaultLine {
			result = append(result, lines...)
			continue
		}
		below := strconv.Itoa(len(indent) + 2)
		result = append(result, indent+strings.ReplaceAll(line, "INDENT", below))
	}
	return result
}

// unused is an error where the manifests no longer have the place of a setting.
func (w *writer) unused() error {
	for _, s := range w.settings {
		if !w.used[s.path] {
			return fmt.Errorf("setting %q: the manifests have no such place; change settings.go", s.path)
		}
	}
	return nil
}
