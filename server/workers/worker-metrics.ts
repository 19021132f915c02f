import type { FamilyValues } from '#program/metrics/family-definition.ts';
import { joinValues } from '#program/metrics/join-values.ts';

const LASTING = new Set(['counter', 'histogram', 'summary']);

/** How many numbers of a summary can be added: the count and the sum. Quantiles cannot be added. */
const ADDITIVE = 2;

/**
 * Adds the metrics of several workers, so that they look like those of one server. If a worker ends or does not answer,
 * its last known values remain in the sums. So no counter ever decreases.
 */
export class WorkerMetrics {
  readonly #known = new Map<number, readonly FamilyValues[]>();
  #ended: readonly FamilyValues[] = [];

  /**
   * Records the latest values of a worker. Quantiles are left out, because the quantiles of all workers together cannot
   * be computed from the quantiles of each worker.
   */
  update(worker: number, values: readonly FamilyValues[]): void {
    const additive = values.map(({ family, series }) => ({
      family,
      series: family.type === 'summary' ? series.map(([of, n]) => [of, n.slice(0, ADDITIVE)] as const) : series,
    }));
    this.#known.set(worker, additive);
  }

  /** Records that a worker has ended. Its counters remain in the sums, and its gauges do not. */
  end(worker: number): void {
    const values = this.#known.get(worker);
    this.#known.delete(worker);
    if (values === undefined) return;
    const counted = values.filter(({ family }) => LASTING.has(family.type));
    this.#ended = joinValues([this.#ended, counted]);
  }

  /** The metrics of all workers together with `own`, the metrics of the calling process. */
  all(own: readonly FamilyValues[]): FamilyValues[] {
    return joinValues([...this.#known.values(), this.#ended, own]);
  }
}
