import type { FamilyDefinition } from '../family-definition.ts';

/** The steps of admission, its webhooks and the evaluation of pods. */
export const admissionFamilies = [
  {
    name: 'apiserver_admission_controller_admission_duration_seconds',
    type: 'histogram',
    help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'rejected', 'type'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
    stability: 'STABLE',
  },
  {
    name: 'apiserver_admission_step_admission_duration_seconds',
    type: 'histogram',
    help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['operation', 'rejected', 'type'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
    stability: 'STABLE',
  },
  {
    name: 'apiserver_admission_step_admission_duration_seconds_summary',
    type: 'summary',
    help: 'Admission sub-step latency summary in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['operation', 'rejected', 'type'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    type: 'histogram',
    help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'rejected', 'type'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
    stability: 'STABLE',
  },
  {
    name: 'apiserver_admission_webhook_fail_open_count',
    type: 'counter',
    help: 'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
    labels: ['name', 'type'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_admission_webhook_rejection_count',
    type: 'counter',
    help: 'Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_admission_webhook_request_total',
    type: 'counter',
    help: 'Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['code', 'name', 'operation', 'rejected', 'type'],
    stability: 'ALPHA',
  },
  {
    name: 'pod_security_errors_total',
    type: 'counter',
    help: 'Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    labels: ['fatal', 'request_operation', 'resource', 'subresource'],
    stability: 'ALPHA',
  },
  {
    name: 'pod_security_evaluations_total',
    type: 'counter',
    help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    labels: ['decision', 'mode', 'policy_level', 'policy_version', 'request_operation', 'resource', 'subresource'],
    stability: 'ALPHA',
  },
  {
    name: 'pod_security_exemptions_total',
    type: 'counter',
    help: 'Number of exempt requests, not counting ignored or out of scope requests.',
    labels: ['request_operation', 'resource', 'subresource'],
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
