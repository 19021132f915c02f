import type { HistogramSeries } from '#program/metrics/family.ts';

const NANOSECONDS = 1e6;

/**
 * Measures a value over time, as a share of a limit. A short busy moment counts by its duration. A gauge would show
 * only the moments at which it is read.
 */
export class Timeline {
  readonly #series: HistogramSeries;
  readonly #limit: () => number;
  #value = 0;
  #since: number;
  /**
   * How long the value had each size, in milliseconds, while the limit was `#of`. Most changes are between a few sizes.
   */
  #passed: number[] = [];
  #of = 0;

  constructor(series: HistogramSeries, limit: () => number, now: number) {
    this.#series = series;
    this.#limit = limit;
    this.#since = now;
  }

  /** Adds a whole number to the value, at `now` (in milliseconds). The value is never negative. */
  add(by: number, now: number): void {
    this.#pass(now);
    this.#value += by;
  }

  /** Observes the time up to `now`. It must be called before the series is shown. */
  catchUp(now: number): void {
    this.#pass(now);
    this.#observe();
  }

  #pass(now: number): void {
    const passed = now - this.#since;
    if (passed <= 0) return;
    this.#since = now;
    const limit = this.#limit();
    if (limit !== this.#of) {
      this.#observe();
      this.#of = limit;
    }
    const at = this.#value;
    while (this.#passed.length <= at) this.#passed.push(0);
    this.#passed[at]! += passed;
  }

  #observe(): void {
    const limit = Math.max(1, this.#of);
    for (const [value, passed] of this.#passed.entries())
      if (passed > 0) this.#series.observe(value / limit, Math.round(passed * NANOSECONDS));
    this.#passed = [];
  }
}
