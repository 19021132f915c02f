import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';
import { type AllowedValues, UNEXPECTED } from './family.ts';
import { type FamilyDefinition, type FamilyValues, QUANTILES, type SeriesValues } from './family-definition.ts';

/** The values of a prom-client metric, as the library returns them. */
export type PromClientValues = MetricObjectWithValues<MetricValueWithName<string>>;

/** Labels that belong to the written form of a type of family. They do not identify a series. */
const OWN_LABELS: Readonly<Partial<Record<FamilyDefinition['type'], string>>> = {
  histogram: 'le',
  summary: 'quantile',
};

/**
 * The values of a prom-client metric as values of a family, with labels in the metric's order. Series without a number,
 * which are not measured yet, are left out. Label values that are not in `allowed` are counted together.
 *
 * @example
 * const gauge = new Gauge({ name: 'queue_length', help: '…', registers: [] });
 * familyValues(await gauge.get(), { name: 'queue_length', type: 'gauge', help: '…' });
 */
export function familyValues(
  { values }: PromClientValues,
  definition: FamilyDefinition,
  allowed?: AllowedValues,
): FamilyValues {
  const { name, type, help, join } = definition;
  const own = OWN_LABELS[type];
  const labels =
    definition.labels ??
    [...new Set(values.flatMap((one) => Object.keys(one.labels)))].filter((label) => label !== own).sort();
  const parts = new Map<string, { labelValues: string[]; numbers: Map<string, number> }>();
  for (const { labels: given, metricName, value } of values) {
    if (Number.isNaN(value)) continue;
    const labelValues = labels.map((label) => shown(String(given[label] ?? ''), allowed?.get(label)));
    const key = labelValues.join('\0');
    const part = parts.get(key) ?? { labelValues, numbers: new Map<string, number>() };
    parts.set(key, part);
    const number =
      own !== undefined && given[own] !== undefined ? String(given[own]) : (metricName ?? name).slice(name.length);
    part.numbers.set(number, (part.numbers.get(number) ?? 0) + value);
  }
  const bounds = type === 'histogram' ? boundsOf(values) : undefined;
  const series = [...parts.keys()].sort().map((key): SeriesValues => {
    const { labelValues, numbers } = parts.get(key)!;
    return [labelValues, numbersOf(type, numbers, bounds ?? [])];
  });
  return { family: { name, type, help, labels, ...(bounds && { buckets: bounds }), ...(join && { join }) }, series };
}

function shown(value: string, allowed: ReadonlySet<string> | undefined): string {
  return allowed === undefined || allowed.has(value) ? value : UNEXPECTED;
}

/** The upper bounds of a histogram, except the last one, which has no bound. */
function boundsOf(values: PromClientValues['values']): readonly number[] {
  const bounds = new Set(values.map(({ labels }) => labels['le']).filter((bound) => typeof bound === 'number'));
  return [...bounds].sort((a, b) => a - b);
}

/** The numbers of a series, in the order of {@link FamilyValues}. */
function numbersOf(
  type: FamilyDefinition['type'],
  numbers: ReadonlyMap<string, number>,
  bounds: readonly number[],
): readonly number[] {
  const of = (part: string): number => numbers.get(part) ?? 0;
  if (type === 'histogram') {
    // prom-client counts all observations below a bound; a family counts those between two bounds.
    const below = [...bounds.map(String), '+Inf'].map(of);
    return [...below.map((count, i) => count - (below[i - 1] ?? 0)), of('_sum')];
  }
  if (type === 'summary')
    return [of('_sum'), of('_count'), ...QUANTILES.map((share) => numbers.get(String(share)) ?? Number.NaN)];
  return [of('')];
}
