{{- define "store.fullname" -}}{{ .Release.Name }}-store{{- end -}}
{{- define "store.selector" -}}
app.orch.io/name: store
app.orch.io/instance: {{ .Release.Name }}
{{- end -}}
