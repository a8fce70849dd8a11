{{- define "colocate.namespace" -}}
{{ .Values.namespaceOverride | default .Release.Namespace }}
{{- end }}
