import type { HistogramSeries } from '../metrics/family.ts';

const NANOSECONDS = 1e6;

/**
 * Observes at the end of every nanosecond how large something is, as a part of a limit: what is busy for a moment counts
 * as long as it is, where a gauge tells only of the moments at which somebody looks.
 */
export class Timeline {
  readonly #series: HistogramSeries;
  readonly #limit: () => number;
  #value = 0;
  #since: number;

  constructor(series: HistogramSeries, limit: () => number, now: number) {
    this.#series = series;
    this.#limit = limit;
    this.#since = now;
  }

  /** From `now` on, in milliseconds, it is larger by so much. */
  add(by: number, now: number): void {
    this.catchUp(now);
    this.#value += by;
  }

  catchUp(now: number): void {
    const passed = now - this.#since;
    if (passed <= 0) return;
    this.#since = now;
    this.#series.observe(this.#value / Math.max(1, this.#limit()), Math.round(passed * NANOSECONDS));
  }
}
