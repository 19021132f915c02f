import type { Metric } from 'prom-client';
import type { Family } from './family.ts';
import { type FamilyValues, QUANTILES } from './family-definition.ts';
import type { PromClientValues } from './prom-client-values.ts';

/** A family with series of any kind. */
type AnyFamily = Pick<Family<string, unknown>, 'definition' | 'values' | 'clear'>;

type Value = PromClientValues['values'][number];

/**
 * A family as a member of a registry of prom-client. The registry reads the values when it writes them, so counting in
 * the family costs no more than before.
 */
export class FamilyCollector {
  readonly name: string;
  readonly help: string;
  readonly type: FamilyValues['family']['type'];
  readonly family: AnyFamily;

  constructor(family: AnyFamily) {
    const { name, help, type } = family.definition;
    this.name = name;
    this.help = help;
    this.type = type;
    this.family = family;
  }

  /** The family with the type of a metric of the registry, because the registry's types allow only its own metrics. */
  get metric(): Metric {
    return this as unknown as Metric;
  }

  /** The values of the family in the form of prom-client. */
  async get(): Promise<Pick<PromClientValues, 'name' | 'help' | 'values'> & { type: FamilyCollector['type'] }> {
    const { name, help, type } = this;
    return { name, help, type, values: valuesOf(this.family.values()) };
  }

  /** Removes all series. */
  reset(): void {
    this.family.clear();
  }
}

function valuesOf({ family, series }: FamilyValues): Value[] {
  const { name, type, labels, buckets = [] } = family;
  return series.flatMap(([labelValues, numbers]): Value[] => {
    const own = Object.fromEntries(labels.map((label, i) => [label, labelValues[i]!]));
    if (type === 'histogram') {
      let count = 0;
      const upTo = [...buckets, '+Inf'].map((bound, i): Value => {
        count += numbers[i]!;
        return { labels: { ...own, le: bound }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...upTo,
        { labels: own, value: numbers[buckets.length + 1]!, metricName: `${name}_sum` },
        { labels: own, value: count, metricName: `${name}_count` },
      ];
    }
    if (type === 'summary') {
      const [sum, count, ...quantiles] = numbers;
      return [
        ...quantiles.map((value, i): Value => ({ labels: { ...own, quantile: QUANTILES[i]! }, value })),
        { labels: own, value: sum!, metricName: `${name}_sum` },
        { labels: own, value: count!, metricName: `${name}_count` },
      ];
    }
    return [{ labels: own, value: numbers[0]! }];
  });
}
