import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { ListCount } from '../resources/list-counts.ts';
import type { Registry } from '../resources/registry.ts';

/** The families for lists from the store. The store is read page by page, and a page counts when it is read. */
const FROM_STORE = [
  ['apiserver_storage_list_total', ({ stored }: ListCount) => stored],
  ['apiserver_storage_list_fetched_objects_total', ({ storedFetched }: ListCount) => storedFetched],
  ['apiserver_storage_list_evaluated_objects_total', ({ storedFetched }: ListCount) => storedFetched],
  ['apiserver_storage_list_returned_objects_total', ({ storedReturned }: ListCount) => storedReturned],
] as const;

/** The number of objects that lists examined, in memory and in the store, and the number that they returned. */
export function listMetrics(metrics: MetricSet, registry: Registry): void {
  const { naming, lists } = registry;
  function* counted(): Generator<readonly [plural: string, group: string, ListCount]> {
    // Resources are added and removed.
    for (const { group, plural, cache } of registry.current().allStored) {
      const count = lists.of(cache);
      if (count !== undefined) yield [plural, naming.group(group), count];
    }
  }
  const prefixOf = (plural: string, group: string): string => (group === '' ? `/${plural}` : `/${group}/${plural}`);
  for (const [family, what] of [
    ['apiserver_cache_list_total', 'lists'],
    ['apiserver_cache_list_fetched_objects_total', 'fetched'],
  ] as const)
    metrics.counted(family, (counter) => {
      counter.clear();
      for (const [plural, group, { cached }] of counted())
        for (const [index, found] of cached)
          counter.inc({ index, resource_prefix: prefixOf(plural, group) }, found[what]);
    });
  metrics.counted('apiserver_cache_list_returned_objects_total', (counter) => {
    counter.clear();
    for (const [plural, group, { cached, cachedReturned }] of counted())
      if (cached.size > 0) counter.inc({ resource_prefix: prefixOf(plural, group) }, cachedReturned);
  });
  for (const [family, numberOf] of FROM_STORE)
    metrics.counted(family, (counter) => {
      counter.clear();
      for (const [plural, group, count] of counted())
        if (count.stored > 0) counter.inc({ resource: group === '' ? plural : `${plural}.${group}` }, numberOf(count));
    });
}
