import type { Logger } from 'pino';

/** The interval of log lines about further lost spans, in milliseconds. */
const AGAIN_MS = 60_000;

/** Logs that spans are not delivered, at most once a minute, and logs once that delivery works again. */
export class DeliveryLog {
  readonly #log: Pick<Logger, 'warn' | 'info'>;
  readonly #now: () => number;
  #lost = 0;
  #failing = false;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, 'warn' | 'info'>, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Records that a number of spans was sent. `failure` is the reason why the collector did not accept them. */
  sent(spans: number, failure?: string): void {
    if (failure === undefined) {
      if (!this.#failing) return;
      this.#log.info({ lostSpans: this.#lost }, 'spans of traces are delivered again');
      this.#failing = false;
      this.#lost = 0;
      return;
    }
    this.#lost += spans;
    const now = this.#now();
    if (now - this.#loggedAt < AGAIN_MS) return;
    this.#log.warn({ lostSpans: this.#lost, error: failure }, 'spans of traces are not delivered');
    this.#loggedAt = now;
    this.#failing = true;
  }
}
