import type { FamilyValues } from '#program/metrics/family-definition.ts';
import { joinValues } from '#program/metrics/join-values.ts';

const LASTING = new Set(['counter', 'histogram', 'summary']);

/** The numbers of a summary that can be added up: those of quantiles say nothing about all together. */
const ADDITIVE = 2;

/**
 * The metrics of several workers as those of one server. Counters never decrease when a worker ends or does not answer:
 * its last known values remain in the sums.
 */
export class WorkerMetrics {
  readonly #known = new Map<number, readonly FamilyValues[]>();
  #ended: readonly FamilyValues[] = [];

  /**
   * Records the latest values of a worker, without quantiles: the quantiles of all workers together cannot be computed
   * from those of each.
   */
  update(worker: number, values: readonly FamilyValues[]): void {
    const additive = values.map(({ family, series }) => ({
      family,
      series: family.type === 'summary' ? series.map(([of, n]) => [of, n.slice(0, ADDITIVE)] as const) : series,
    }));
    this.#known.set(worker, additive);
  }

  /** Records the end of a worker. Its counters stay, and its gauges are removed. */
  end(worker: number): void {
    const values = this.#known.get(worker);
    this.#known.delete(worker);
    if (values === undefined) return;
    const counted = values.filter(({ family }) => LASTING.has(family.type));
    this.#ended = joinValues([this.#ended, counted]);
  }

  /** All of it, and `own`. */
  all(own: readonly FamilyValues[]): FamilyValues[] {
    return joinValues([...this.#known.values(), this.#ended, own]);
  }
}
