import { Histogram, type Metric, type MetricObjectWithValues, type MetricValueWithName } from 'prom-client';
import type { Phase } from '../api/admission.ts';
import { DurationSummary } from './duration-summary.ts';
import { PodSecurityMetrics } from './pod-security/pod-security-metrics.ts';
import { WebhookMetrics } from './webhooks/webhook-metrics.ts';

/** Bounds in seconds, as operators of this field know them. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Takes how long something took, in seconds. */
export type StepTimer = (seconds: number) => void;

/** Keeps how long the steps of admission took. */
export interface AdmissionTimer {
  /** The timer of a step, to be kept by who uses it often; `plugin` undefined: the whole phase. */
  timer(plugin: string | undefined, operation: string, phase: Phase, rejected: boolean): StepTimer;
}

interface Series {
  readonly labels: Record<string, string>;
  /** By bound; the last one has no bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram with few, known series. Observing is two additions: a create passes some twenty steps, and hashing four
 * labels for each would cost more than the steps.
 */
class SeriesHistogram extends Histogram {
  readonly #series = new Map<string, Series>();

  /** The timer of the series with these labels, which appears when it is first used. */
  timer(labels: Record<string, string>): StepTimer {
    let series: Series | undefined;
    return (seconds) => {
      series ??= this.#seriesOf(labels);
      let at = 0;
      while (at < BUCKETS.length && seconds > BUCKETS[at]!) at++;
      series.counts[at]!++;
      series.sum += seconds;
    };
  }

  #seriesOf(labels: Record<string, string>): Series {
    const key = Object.values(labels).join('/');
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, counts: new Array<number>(BUCKETS.length + 1).fill(0), sum: 0 };
      this.#series.set(key, series);
    }
    return series;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const described = await super.get();
    const { name } = described;
    const values: MetricValueWithName<string>[] = [];
    for (const { labels, counts, sum } of this.#series.values()) {
      let count = 0;
      for (const [i, more] of counts.entries()) {
        count += more;
        values.push({ labels: { ...labels, le: BUCKETS[i] ?? '+Inf' }, value: count, metricName: `${name}_bucket` });
      }
      values.push({ labels, value: sum, metricName: `${name}_sum` });
      values.push({ labels, value: count, metricName: `${name}_count` });
    }
    return { ...described, values };
  }
}

/** The metrics of admission: how long each phase and each plug-in took, what webhooks did and how pods were evaluated. */
export class AdmissionMetrics implements AdmissionTimer {
  readonly webhooks = new WebhookMetrics();
  readonly podSecurity = new PodSecurityMetrics();
  readonly #steps = new SeriesHistogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Time of the mutating and of the validating plug-ins together, by operation.',
    labelNames: ['operation', 'rejected', 'type'],
    buckets: BUCKETS,
    registers: [],
  });
  readonly #stepSummary = new DurationSummary({
    name: 'apiserver_admission_step_admission_duration_seconds_summary',
    help: 'Quantiles of the time of the mutating and of the validating plug-ins together, by operation.',
    labelNames: ['operation', 'rejected', 'type'],
  });
  readonly #plugins = new SeriesHistogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Time of one built-in admission plug-in, by operation.',
    labelNames: ['name', 'operation', 'rejected', 'type'],
    buckets: BUCKETS,
    registers: [],
  });

  /** To be registered where metrics are answered. */
  get all(): readonly Metric[] {
    return [this.#steps, this.#stepSummary, this.#plugins, ...this.webhooks.all, ...this.podSecurity.all];
  }

  timer(plugin: string | undefined, operation: string, phase: Phase, rejected: boolean): StepTimer {
    const labels = { operation, rejected: String(rejected), type: phase };
    if (plugin !== undefined) return this.#plugins.timer({ name: plugin, ...labels });
    const [steps, summary] = [this.#steps.timer(labels), this.#stepSummary.timer(labels)];
    return (seconds) => {
      steps(seconds);
      summary(seconds);
    };
  }
}
