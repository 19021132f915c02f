import type { FamilyDefinition } from '../family-definition.ts';

/** Who makes requests, how they prove it, and what was recorded of it. */
export const accessFamilies = [
  {
    name: 'apiserver_audit_error_total',
    type: 'counter',
    help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    labels: ['plugin'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_audit_event_total',
    type: 'counter',
    help: 'Counter of audit events generated and sent to the audit backend.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_audit_level_total',
    type: 'counter',
    help: 'Counter of policy levels for audit events (1 per request).',
    labels: ['level'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_audit_requests_rejected_total',
    type: 'counter',
    help: 'Counter of apiserver requests rejected due to an error in audit logging backend.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_client_certificate_expiration_seconds',
    type: 'histogram',
    help: 'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
    buckets: [0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000],
    stability: 'ALPHA',
  },
  {
    name: 'authenticated_user_requests',
    type: 'counter',
    help: 'Counter of authenticated requests broken out by username.',
    labels: ['username'],
    stability: 'ALPHA',
  },
  {
    name: 'authentication_attempts',
    type: 'counter',
    help: 'Counter of authenticated attempts.',
    labels: ['result'],
    stability: 'ALPHA',
  },
  {
    name: 'authentication_duration_seconds',
    type: 'histogram',
    help: 'Authentication duration in seconds broken out by result.',
    labels: ['result'],
    buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384],
    stability: 'ALPHA',
  },
  {
    name: 'serviceaccount_legacy_tokens_total',
    type: 'counter',
    help: 'Cumulative legacy service account tokens used',
    stability: 'ALPHA',
  },
  {
    name: 'serviceaccount_stale_tokens_total',
    type: 'counter',
    help: 'Cumulative stale projected service account tokens used',
    stability: 'ALPHA',
  },
  {
    name: 'serviceaccount_valid_tokens_total',
    type: 'counter',
    help: 'Cumulative valid projected service account tokens used',
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
