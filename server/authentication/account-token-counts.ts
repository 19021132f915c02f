import type { MetricSet } from '#program/metrics/metric-set.ts';

/**
 * Called with each valid token of a service account, and its kind: kept in a secret, due to be replaced, or neither.
 */
export type AccountTokenCounts = (kind: 'legacy' | 'stale' | 'valid') => void;

/** Counts tokens of service accounts by their kind. */
export function accountTokenCounts(metrics: MetricSet): AccountTokenCounts {
  const counts = {
    legacy: metrics.counter('serviceaccount_legacy_tokens_total').of({}),
    stale: metrics.counter('serviceaccount_stale_tokens_total').of({}),
    valid: metrics.counter('serviceaccount_valid_tokens_total').of({}),
  };
  return (kind) => counts[kind].inc();
}
