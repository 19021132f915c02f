/** How often the frontier checks the deadlines of its callers and asks the feed for progress, in milliseconds. */
const TICK_MS = 50;

interface Waiter {
  readonly revision: number;
  readonly deadline: number;
  readonly resolve: (reached: boolean) => void;
}

/** The revision up to which the cache is complete, and the callers that wait for a later one. */
export class Frontier {
  readonly #nudge: () => void;
  #revision = 0;
  #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param nudge called every 50 ms as long as a caller waits */
  constructor(nudge: () => void) {
    this.#nudge = nudge;
  }

  get revision(): number {
    return this.#revision;
  }

  set revision(revision: number) {
    this.#revision = revision;
    if (this.#waiters.length > 0) this.#settle((waiter) => waiter.revision <= revision, true);
  }

  /** Resolves to whether the cache reached the revision in that time (exact to about 50 ms). */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#revision >= revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#waiters.push({ revision, deadline: performance.now() + timeoutMs, resolve });
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    });
  }

  /** Tells all waiting callers that the cache did not reach their revision. */
  stop(): void {
    this.#settle(() => true, false);
  }

  #tick(): void {
    const now = performance.now();
    this.#settle((waiter) => waiter.deadline <= now, false);
    if (this.#waiters.length > 0) this.#nudge();
  }

  #settle(due: (waiter: Waiter) => boolean, reached: boolean): void {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => !due(waiter));
    if (this.#waiters.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const waiter of waiters) if (due(waiter)) waiter.resolve(reached);
  }
}
