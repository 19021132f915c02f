import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { DataStore } from '#storage/data-store.ts';

/** Metrics of the requests of this server to etcd, and of the bytes in both directions. */
export function storeTraffic(metrics: MetricSet, store: Pick<DataStore, 'traffic'>): void {
  metrics.counted('apiserver_storage_requests_total', (counter) => {
    const { ranges, transactions } = store.traffic;
    counter.clear();
    counter.inc({ type: 'range' }, ranges);
    counter.inc({ type: 'transaction' }, transactions);
  });
  metrics.counted('apiserver_storage_bytes_total', (counter) => {
    const { sentBytes, receivedBytes } = store.traffic;
    counter.clear();
    counter.inc({ direction: 'sent' }, sentBytes);
    counter.inc({ direction: 'received' }, receivedBytes);
  });
}
