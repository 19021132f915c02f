import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Registry } from '../resources/registry.ts';

/** The number of values of each resource that cannot be decrypted, if there are any. */
export function sealedValues(metrics: MetricSet, { cache, naming }: Pick<Registry, 'cache' | 'naming'>): void {
  metrics.gauge('apiserver_storage_values_not_opened', (gauge) => {
    gauge.clear();
    for (const { group, plural, cache: resource } of cache.resources) {
      const { length } = resource.sealedIn('');
      const name = naming.group(group);
      if (length > 0) gauge.set({ resource: name === '' ? plural : `${plural}.${name}` }, length);
    }
  });
}
