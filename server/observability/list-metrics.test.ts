import assert from 'node:assert/strict';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { ResourceCache } from '../cache/resource-cache.ts';
import { ListCounts } from '../resources/list-counts.ts';
import type { Registry } from '../resources/registry.ts';
import { listMetrics } from './list-metrics.ts';

describe('metrics of lists', () => {
  it('count lists from memory and from the store separately, for each resource of each group', () => {
    const lists = new ListCounts();
    const stored = ['', 'apps'].map((group) => ({ group, plural: 'things', cache: {} as ResourceCache }));
    const naming = { group: (group: string) => group };
    const metrics = new MetricSet();
    listMetrics(metrics, { lists, naming, current: () => ({ allStored: stored }) } as unknown as Registry);
    const [core, apps] = stored.map(({ cache }) => cache);
    lists.count(core!, { index: '', fetched: 5, returned: 5 });
    lists.count(core!, { index: 'f:type', fetched: 3, returned: 1 });
    lists.count(core!, { index: 'f:type', fetched: 2, returned: 2 });
    lists.count(apps!, { fetched: 7, returned: 4 });
    const shown = metrics
      .values()
      .flatMap(({ family, series }) => series.map(([labels, [value]]) => [family.name, ...labels, value]));
    assert.deepEqual(shown, [
      ['apiserver_cache_list_fetched_objects_total', '', '/things', 5],
      ['apiserver_cache_list_fetched_objects_total', 'f:type', '/things', 5],
      ['apiserver_cache_list_returned_objects_total', '/things', 8],
      ['apiserver_cache_list_total', '', '/things', 1],
      ['apiserver_cache_list_total', 'f:type', '/things', 2],
      ['apiserver_storage_list_evaluated_objects_total', 'things.apps', 7],
      ['apiserver_storage_list_fetched_objects_total', 'things.apps', 7],
      ['apiserver_storage_list_returned_objects_total', 'things.apps', 4],
      ['apiserver_storage_list_total', 'things.apps', 1],
    ]);
  });
});
