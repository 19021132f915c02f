import type { Logger } from 'pino';

/** How long after a failure the work is tried again, in milliseconds. */
const AGAIN_MS = 1_000;

/** Work that runs again whenever a caller asks for it, never twice at a time. */
export class RepeatedWork {
  readonly #work: () => Promise<void>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #what: string;
  readonly #until: AbortSignal;
  #wanted = false;
  #running: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;

  /** `what` names the failed work in the log; the work is repeated until it succeeds or the signal is aborted. */
  constructor(work: () => Promise<void>, what: string, log: Pick<Logger, 'warn'>, until: AbortSignal) {
    this.#work = work;
    this.#what = what;
    this.#log = log;
    this.#until = until;
    until.addEventListener('abort', () => clearTimeout(this.#again), { once: true });
  }

  /** There may be something to do. */
  poke(): void {
    this.#wanted = true;
    if (this.#until.aborted || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is in progress. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // several requests in one tick cause one run
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
