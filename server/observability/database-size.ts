import { Gauge } from 'prom-client';
import type { EtcdStore } from '../../storage-etcd/etcd-store.ts';

/**
 * The size of etcd's database on each member, and whether it has reached its quota; asked for every `intervalMs` until the signal; 0 for never. A member that
 * does not answer is left out until it does.
 */
export function databaseSize(
  store: Pick<EtcdStore, 'databaseSizes' | 'full'>,
  intervalMs: number,
  signal: AbortSignal,
): readonly Gauge[] {
  const full = new Gauge({
    name: 'apiserver_storage_full',
    help: '1 while the store has reached its quota and takes deletions only.',
    registers: [],
    aggregator: 'max',
    collect() {
      this.set(store.full ? 1 : 0);
    },
  });
  if (intervalMs === 0) return [full];
  const gauge = new Gauge({
    name: 'etcd_db_total_size_in_bytes',
    help: 'Bytes of the database file of a member of etcd.',
    labelNames: ['endpoint'],
    registers: [],
    // every worker asks all members
    aggregator: 'max',
  });
  const ask = async (): Promise<void> => {
    const sizes = await store.databaseSizes();
    gauge.reset();
    for (const [endpoint, bytes] of sizes) gauge.set({ endpoint }, bytes);
  };
  void ask();
  const timer = setInterval(ask, intervalMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return [full, gauge];
}
