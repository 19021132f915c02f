import type { CountSeries } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Registry } from '../resources/registry.ts';
import { typeOfStored } from './type-name.ts';

/** Metrics of the stored objects and of the watch cache. */
export function cacheMetrics(metrics: MetricSet, registry: Registry): void {
  const { cache, naming } = registry;
  const shown = (group: string, plural: string): string => {
    const name = naming.group(group);
    return name === '' ? plural : `${plural}.${name}`;
  };
  metrics.gauge('apiserver_storage_objects', (gauge) => {
    // Resources are added and removed.
    gauge.clear();
    for (const stored of registry.current().allStored)
      gauge.set({ resource: shown(stored.group, stored.plural) }, stored.cache.stats.items);
  });
  const dispatched = metrics.counter('apiserver_watch_cache_events_dispatched_total');
  const byResource = new Map<string, CountSeries>();
  cache.onApply(({ group, plural }) => {
    const key = `${plural}.${group}`;
    let series = byResource.get(key);
    if (series === undefined) {
      const resource = typeOfStored(registry.current().stored(group, plural));
      byResource.set(key, (series = dispatched.of({ resource })));
    }
    series.inc();
  });
  metrics.counted('apiserver_watch_cache_initializations_total', (counter) => {
    counter.clear();
    const times = cache.stats.relists + 1;
    for (const stored of registry.current().allStored) counter.inc({ resource: typeOfStored(stored) }, times);
  });
  const { stats } = cache;
  let last = { at: performance.now(), stats };
  const recent = (): typeof stats => {
    // One sum over all resources is used for all families of a scrape.
    if (performance.now() - last.at > 100) last = { at: performance.now(), stats: cache.stats };
    return last.stats;
  };
  metrics.gauge('watch_cache_bytes', (gauge) => gauge.set({}, recent().bytes));
  metrics.gauge('watch_cache_history_bytes', (gauge) => gauge.set({}, recent().historyBytes));
  metrics.gauge('watch_cache_history_entries', (gauge) => gauge.set({}, recent().history));
  metrics.gauge('watch_cache_subscriptions', (gauge) => gauge.set({}, recent().subscriptions));
  metrics.gauge('watch_cache_relists', (gauge) => gauge.set({}, recent().relists));
  metrics.gauge('watch_cache_frontier_revision', (gauge) => gauge.set({}, cache.frontier));
  metrics.gauge('watch_cache_unconfirmed_seconds', (gauge) => gauge.set({}, cache.unconfirmedMs / 1000));
}
