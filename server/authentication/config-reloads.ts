import type { MetricSet } from '#program/metrics/metric-set.ts';

/** Counts a reload of a file, by result. */
export type CountReload = (isOk: boolean) => void;

/** Counts the reloads of the file of issuers or of the file of authorizers, by result. */
export function configReloads(metrics: MetricSet, of: 'authentication' | 'authorization'): CountReload {
  const reloads = metrics.counter(`apiserver_${of}_config_controller_automatic_reloads_total`);
  const reloadedAt = metrics.gauge(`apiserver_${of}_config_controller_automatic_reload_last_timestamp_seconds`);
  for (const status of ['success', 'failure']) reloads.inc({ status }, 0);
  return (isOk) => {
    const status = isOk ? 'success' : 'failure';
    reloads.inc({ status });
    reloadedAt.set({ status }, Date.now() / 1000);
  };
}
