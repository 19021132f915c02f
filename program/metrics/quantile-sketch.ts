/** The ratio between two steps. Durations are counted in steps of 4 %, from a microsecond to minutes. */
const GROWTH = Math.log(1.04);
const SMALLEST = 1e-6;
const STEPS = 480;
/** The quantiles cover the last 2.5 to 5 hours. */
const AGE_MS = 2.5 * 60 * 60 * 1000;

function stepOf(seconds: number): number {
  if (seconds <= SMALLEST) return 0;
  return Math.min(STEPS - 1, Math.ceil(Math.log(seconds / SMALLEST) / GROWTH));
}

/**
 * Quantiles of durations, exact to 4 %. An observation costs a logarithm and a few additions. A digest of samples would
 * cost a hundred times as much.
 */
export class QuantileSketch {
  sum = 0;
  count = 0;
  readonly #now: () => number;
  #recent = new Uint32Array(STEPS);
  #older = new Uint32Array(STEPS);
  #since: number;

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  observe(seconds: number): void {
    this.#recent[stepOf(seconds)]!++;
    this.sum += seconds;
    this.count++;
  }

  /** The duration, in seconds, that this share of the observations does not exceed; NaN without observations. */
  quantile(share: number): number {
    this.#age();
    let total = 0;
    for (let i = 0; i < STEPS; i++) total += this.#recent[i]! + this.#older[i]!;
    if (total === 0) return Number.NaN;
    let left = share * total;
    for (let i = 0; i < STEPS; i++) {
      left -= this.#recent[i]! + this.#older[i]!;
      if (left <= 0) return SMALLEST * Math.exp(i * GROWTH);
    }
    return Number.NaN;
  }

  #age(): void {
    const now = this.#now();
    const ages = Math.floor((now - this.#since) / AGE_MS);
    if (ages === 0) return;
    this.#older = ages === 1 ? this.#recent : new Uint32Array(STEPS);
    this.#recent = new Uint32Array(STEPS);
    this.#since = now;
  }
}
