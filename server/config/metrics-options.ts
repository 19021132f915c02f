import { ConfigError } from '#base/errors/config-error.ts';
import { atLeast } from '#program/flags/flag-readers.ts';
import type { MetricLimits } from '#program/metrics/metric-set.ts';
import type { Flags } from './parse-flags.ts';

/** The options of the metrics: limits of label values, and which families are shown. */
export interface MetricsOptions {
  readonly limits: MetricLimits;
  /** The interval of requests for the size of etcd's database; 0 means never. */
  readonly databaseSizeIntervalMs: number;
}

/**
 * Reads the flags of metrics.
 * @throws ConfigError
 */
export function readMetrics(flags: Flags): MetricsOptions {
  const countPeriod = flags.get('etcd-count-metric-poll-period');
  const counts = atLeast(0, countPeriod, 'etcd-count-metric-poll-period') === 0 ? ['apiserver_storage_objects'] : [];
  const sizeInterval = flags.get('etcd-db-metric-poll-interval');
  return {
    limits: {
      disabled: [...flags.get('disabled-metrics'), ...counts],
      allowedValues: readAllowedValues(flags.get('allow-metric-labels')),
      showsHidden: flags.get('show-hidden-metrics-for-version') !== '',
    },
    databaseSizeIntervalMs: atLeast(0, sizeInterval, 'etcd-db-metric-poll-interval'),
  };
}

function readAllowedValues(texts: ReadonlyMap<string, string>): MetricLimits['allowedValues'] {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of texts) {
    const [, metric, label] = /^([a-zA-Z_:][\w:]*),([a-zA-Z_]\w*)$/.exec(key) ?? [];
    if (metric === undefined || label === undefined)
      throw new ConfigError(`invalid value for flag --allow-metric-labels: ${JSON.stringify(key)} is not METRIC,LABEL`);
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, labels.set(label, new Set(values.split(','))));
  }
  return allowed;
}
