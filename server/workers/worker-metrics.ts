import { AggregatorRegistry } from 'prom-client';
import type { MetricValues } from '../observability/metrics.ts';

const LASTING = new Set(['counter', 'histogram', 'summary']);

/** Values of several processes as those of one, each metric by its own rule (sum, maximum, …). */
function joined(all: readonly MetricValues[]) {
  return AggregatorRegistry.aggregate([...all]);
}

/**
 * The metrics of several workers as those of one server. What counts up never goes back when a worker ends or does not
 * answer: then its last known counts stand for it.
 */
export class WorkerMetrics {
  readonly #known = new Map<number, MetricValues>();
  #ended: MetricValues = [];

  /** What a worker said last. Quantiles are left out: from those of each, none of all of them can be had. */
  update(worker: number, values: MetricValues): void {
    const additive = values.map((metric) => ({
      ...metric,
      values: metric.values.filter(({ labels }) => !('quantile' in labels)),
    }));
    this.#known.set(worker, additive);
  }

  /** A worker is gone. What it counted stays, what it measured goes. */
  end(worker: number): void {
    const values = this.#known.get(worker);
    this.#known.delete(worker);
    if (values !== undefined) this.#ended = [...this.#ended, ...values.filter(({ type }) => LASTING.has(String(type)))];
  }

  /** All of it, and `own`, in the text form. */
  async text(own: MetricValues): Promise<string> {
    if (this.#ended.length > 0) this.#ended = await joined([this.#ended]).getMetricsAsJSON();
    return joined([...this.#known.values(), this.#ended, own]).metrics();
  }
}
