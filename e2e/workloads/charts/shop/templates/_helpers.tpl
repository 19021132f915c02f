{{- define "shop.fullname" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "shop.selector" -}}
app.orch.io/name: {{ .Chart.Name }}
app.orch.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "shop.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "shop.selector" . }}
app.orch.io/version: {{ .Chart.AppVersion | quote }}
app.orch.io/managed-by: {{ .Release.Service }}
{{- end -}}
