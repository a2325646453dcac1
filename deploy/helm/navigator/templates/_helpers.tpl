{{- define "navigator.name" -}}
{{- if contains "navigator" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-navigator" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "navigator.taskQueue" -}}
{{- .Values.project.taskQueue | default (printf "navigator-%s" .Values.project.name) }}
{{- end }}

{{/* Labels that never change: a Deployment finds its pods by them. Takes the chart and the component. */}}
{{- define "navigator.selector" -}}
app.kubernetes.io/name: navigator
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "navigator.labels" -}}
{{ include "navigator.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: navigator
{{- end }}

{{/* A pod begins anew when the project's files change. */}}
{{- define "navigator.annotations" -}}
{{- $own := .annotations | default dict }}
{{- if .root.Values.project.files }}
{{- $own = merge (dict "navigator/project" (toJson .root.Values.project.files | sha256sum)) $own }}
{{- end }}
{{- if $own -}}
annotations:
  {{- toYaml $own | nindent 2 }}
{{- end }}
{{- end }}

{{- define "navigator.pod" -}}
serviceAccountName: {{ include "navigator.name" .root }}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- end }}

{{- define "navigator.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
# Commands find the project where they are.
workingDir: {{ .root.Values.project.path }}
securityContext:
  {{- toYaml .root.Values.securityContext | nindent 2 }}
env:
  - name: TEMPORAL_ADDRESS
    value: {{ .root.Values.temporal.address | quote }}
  - name: TEMPORAL_NAMESPACE
    value: {{ .root.Values.temporal.namespace | quote }}
  {{- if .root.Values.temporal.tlsSecret }}
  - name: TEMPORAL_TLS
    value: "true"
  {{- range $file, $name := dict "tls.crt" "CLIENT_CERT" "tls.key" "CLIENT_KEY" "ca.crt" "SERVER_CA_CERT" }}
  {{- if has $file $.root.Values.temporal.tlsFiles }}
  - name: TEMPORAL_TLS_{{ $name }}_PATH
    value: /temporal-tls/{{ $file }}
  {{- end }}
  {{- end }}
  {{- end }}
  - name: NAVIGATOR_PROJECT
    value: {{ .root.Values.project.name | quote }}
  - name: NAVIGATOR_TASK_QUEUE
    value: {{ include "navigator.taskQueue" .root | quote }}
  # All that is written is below /tmp: the root file system is read-only.
  - name: NAVIGATOR_HOME
    value: /tmp/navigator
  - name: NAVIGATOR_IDENTITY
    value: /identity
  - name: HOME
    value: /tmp
  {{- range $name, $value := .root.Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- with .env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.envSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
      optional: true
{{- end }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: identity
    mountPath: /identity
  {{- if .root.Values.serviceKeysSecret }}
  - name: service-keys
    mountPath: /identity/services
    readOnly: true
  {{- end }}
  {{- if or .root.Values.project.files .root.Values.project.configMap }}
  - name: project
    mountPath: {{ .root.Values.project.path }}
    readOnly: true
  {{- end }}
  {{- if .root.Values.temporal.tlsSecret }}
  - name: temporal-tls
    mountPath: /temporal-tls
    readOnly: true
  {{- end }}
  {{- with .mounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "navigator.volumes" -}}
- name: tmp
  emptyDir: {}
- name: identity
  emptyDir: {}
{{- with .root.Values.serviceKeysSecret }}
- name: service-keys
  secret:
    secretName: {{ . }}
    # Only root and the group of the pod may read them.
    defaultMode: 0440
{{- end }}
{{- if .root.Values.project.configMap }}
- name: project
  configMap:
    name: {{ .root.Values.project.configMap }}
{{- else if .root.Values.project.files }}
- name: project
  configMap:
    name: {{ include "navigator.name" .root }}-project
    items:
      {{- range $file, $text := .root.Values.project.files }}
      - key: {{ $file | replace "/" "__" }}
        path: {{ $file }}
      {{- end }}
{{- end }}
{{- with .root.Values.temporal.tlsSecret }}
- name: temporal-tls
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{/* Tokens of people and services: hashes, not the tokens themselves. */}}
{{- define "navigator.tokensVolume" -}}
- name: tokens
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
