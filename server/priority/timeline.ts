import type { HistogramSeries } from '#program/metrics/family.ts';

const NANOSECONDS = 1e6;

/**
 * Measures how large a value is at the end of every nanosecond, as a part of a limit. So a short busy moment counts for
 * as long as it lasts, while a gauge shows only the moments at which it is read.
 */
export class Timeline {
  readonly #series: HistogramSeries;
  readonly #limit: () => number;
  #value = 0;
  #since: number;
  /** How long it was how large, in milliseconds, while the limit was `#of`: most changes are between a few sizes. */
  #passed: number[] = [];
  #of = 0;

  constructor(series: HistogramSeries, limit: () => number, now: number) {
    this.#series = series;
    this.#limit = limit;
    this.#since = now;
  }

  /** From `now` on, in milliseconds, it is larger by so much, a whole number; it is never less than nothing. */
  add(by: number, now: number): void {
    this.#pass(now);
    this.#value += by;
  }

  /** Observes what has passed up to now: to be called before the series is shown. */
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
