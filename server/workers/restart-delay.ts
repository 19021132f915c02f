const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** A worker that has served for this time has started well. The next failure then counts as the first. */
const STEADY_MS = 60_000;

/** Computes when to start a worker again. The waiting time doubles with each failure that follows soon, up to 30 s. */
export class RestartDelay {
  #failures = 0;

  /** The number of milliseconds to wait after a worker has ended. The worker had served for `servedMs`. */
  next(servedMs: number): number {
    this.#failures = servedMs >= STEADY_MS ? 1 : this.#failures + 1;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1));
  }
}
