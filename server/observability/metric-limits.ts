import { AggregatorRegistry, type Metric, type Registry as MetricsRegistry } from 'prom-client';
import type { MetricLimits } from '../config/metrics-options.ts';

/** What stands for all other values of a label. */
const UNEXPECTED = 'unexpected';

/**
 * Takes disabled metrics out, and shows the others with allowed values in their labels only: series that become the
 * same by that are added up as the metric's own rule says. To be called when all metrics are there; names that do not
 * exist are nothing wrong.
 */
export function limitMetrics(registry: MetricsRegistry, { disabled, allowedValues }: MetricLimits): void {
  for (const name of disabled) registry.removeSingleMetric(name);
  for (const [name, labels] of allowedValues) {
    const metric = registry.getSingleMetric(name) as Metric | undefined;
    if (metric === undefined) continue;
    registry.removeSingleMetric(name);
    // registries ask for nothing more, whatever the type says
    registry.registerMetric(limited(metric, name, labels) as unknown as Metric);
  }
}

/** A metric as a registry asks for it. */
type View = Pick<Metric, 'get' | 'reset'> & { readonly name: string };

function limited(metric: Metric, name: string, allowed: ReadonlyMap<string, ReadonlySet<string>>): View {
  return {
    name,
    reset: () => metric.reset(),
    async get() {
      const shown = await metric.get();
      const values = shown.values.map((value) => ({ ...value, labels: relabelled(value.labels, allowed) }));
      const joined = AggregatorRegistry.aggregate([[{ ...shown, values }]]).getSingleMetric(name) as Metric;
      return joined.get();
    },
  };
}

function relabelled<Labels extends object>(labels: Labels, allowed: ReadonlyMap<string, ReadonlySet<string>>): Labels {
  const shown = Object.entries(labels).map(([label, value]) => {
    const values = allowed.get(label);
    return [label, values === undefined || values.has(String(value)) ? value : UNEXPECTED];
  });
  return Object.fromEntries(shown) as Labels;
}
