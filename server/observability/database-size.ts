import { timerMs } from '#base/time/longest-timer.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { DataStore } from '#storage/data-store.ts';

/**
 * Measures the size of etcd's database on each member, and whether it has reached its quota. The server reads them
 * every `intervalMs` until the signal aborts; 0 means never. A member that does not answer is missing until it does.
 */
export function databaseSize(
  metrics: MetricSet,
  store: Pick<DataStore, 'databaseSizes' | 'full'>,
  intervalMs: number,
  signal: AbortSignal,
): void {
  metrics.gauge('apiserver_storage_full', (gauge) => gauge.set({}, store.full ? 1 : 0));
  if (intervalMs === 0) return;
  const gauge = metrics.gauge('etcd_db_total_size_in_bytes');
  const ask = async (): Promise<void> => {
    const sizes = await store.databaseSizes();
    gauge.clear();
    for (const [endpoint, bytes] of sizes) gauge.set({ endpoint }, bytes);
  };
  void ask();
  const timer = setInterval(ask, timerMs(intervalMs)).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
