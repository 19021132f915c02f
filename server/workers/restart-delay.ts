const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** A worker that served this long has started well: the next failure counts as the first. */
const STEADY_MS = 60_000;

/** When to start a worker again. Failures that follow each other quickly wait twice as long each time, up to 30 s. */
export class RestartDelay {
  #failures = 0;

  /** The number of milliseconds to wait after a worker has ended that had served for `servedMs`. */
  next(servedMs: number): number {
    this.#failures = servedMs >= STEADY_MS ? 1 : this.#failures + 1;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1));
  }
}
