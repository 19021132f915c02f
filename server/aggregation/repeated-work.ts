import type { Logger } from 'pino';

/** The time until failed work is tried again, in milliseconds. */
const AGAIN_MS = 1_000;

/** Work that runs again whenever a caller requests it. It never runs twice at the same time. */
export class RepeatedWork {
  readonly #work: () => Promise<void>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #what: string;
  readonly #until: AbortSignal;
  #wanted = false;
  #running: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;

  /** @param what the name of the work in the log; failed work is repeated until it succeeds or the signal aborts */
  constructor(work: () => Promise<void>, what: string, log: Pick<Logger, 'warn'>, until: AbortSignal) {
    this.#work = work;
    this.#what = what;
    this.#log = log;
    this.#until = until;
    until.addEventListener('abort', () => clearTimeout(this.#again), { once: true });
  }

  /** Requests a run, because there may be work to do. */
  poke(): void {
    this.#wanted = true;
    if (this.#until.aborted || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no run is in progress. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Several requests in one turn of the event loop cause only one run.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#wanted && !this.#until.aborted) {
      this.#wanted = false;
      try {
        await this.#work();
      } catch (error) {
        if (this.#until.aborted) return;
        this.#log.warn({ err: error }, this.#what);
        clearTimeout(this.#again);
        this.#again = setTimeout(() => this.poke(), AGAIN_MS).unref();
      }
    }
  }
}
