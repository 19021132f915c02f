import type { FamilyDefinition } from '../family-definition.ts';

const SIZES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/** Metrics of this server's requests to others: webhooks, reviewers, issuers, agents on nodes. */
export const outboundFamilies = [
  {
    name: 'apiserver_crd_webhook_conversion_duration_seconds',
    type: 'histogram',
    help: 'CRD webhook conversion duration in seconds',
    labels: ['crd_name', 'from_version', 'succeeded', 'to_version'],
    buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_orch_aggregator_x509_insecure_sha1_total',
    type: 'counter',
    help: 'Number of failed connections to extension servers whose certificate has a SHA-1 signature.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_orch_aggregator_x509_missing_san_total',
    type: 'counter',
    help: 'Number of failed connections to extension servers whose certificate has no subject alternative names.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_webhooks_x509_insecure_sha1_total',
    type: 'counter',
    help: 'Number of failed connections to webhooks whose certificate has a SHA-1 signature.',
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_webhooks_x509_missing_san_total',
    type: 'counter',
    help: 'Number of failed connections to webhooks whose certificate has no subject alternative names.',
    stability: 'ALPHA',
  },
  {
    name: 'orch_apiserver_pod_logs_pods_logs_backend_tls_failure_total',
    type: 'counter',
    help: 'Requests for logs of pods that failed because the certificate of the agent could not be verified.',
    stability: 'ALPHA',
  },
  {
    name: 'orch_apiserver_pod_logs_pods_logs_insecure_backend_total',
    type: 'counter',
    help: 'Requests for logs of pods by whether the agent was verified: enforce_tls, skip_tls_allowed.',
    labels: ['usage'],
    stability: 'ALPHA',
  },
  {
    name: 'rest_client_request_duration_seconds',
    type: 'histogram',
    help: 'Request latency in seconds. Broken down by verb, and host.',
    labels: ['host', 'verb'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    stability: 'ALPHA',
  },
  {
    name: 'rest_client_request_size_bytes',
    type: 'histogram',
    help: 'Request size in bytes. Broken down by verb and host.',
    labels: ['host', 'verb'],
    buckets: SIZES,
    stability: 'ALPHA',
  },
  {
    name: 'rest_client_requests_total',
    type: 'counter',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'host', 'method'],
    stability: 'ALPHA',
  },
  {
    name: 'rest_client_response_size_bytes',
    type: 'histogram',
    help: 'Response size in bytes. Broken down by verb and host.',
    labels: ['host', 'verb'],
    buckets: SIZES,
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
