import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { ServiceRanges } from '../allocation/service-ranges.ts';

/** The numbers of addresses that services were given, that they have, and that are free, for each network. */
export function addressMetrics(metrics: MetricSet, ranges: ServiceRanges): void {
  metrics.counted('orch_apiserver_clusterip_allocator_allocation_total', (counter) => {
    counter.clear();
    for (const { range, given } of ranges.pools)
      for (const scope of ['dynamic', 'static'] as const) counter.inc({ cidr: range.text, scope }, given[scope]);
  });
  metrics.gauge('orch_apiserver_clusterip_allocator_allocated_ips', (gauge) => {
    for (const { range, held } of ranges.pools) if (held !== undefined) gauge.set({ cidr: range.text }, held);
  });
  metrics.gauge('orch_apiserver_clusterip_allocator_available_ips', (gauge) => {
    for (const { range, held } of ranges.pools)
      if (held !== undefined) gauge.set({ cidr: range.text }, range.size - held);
  });
}
