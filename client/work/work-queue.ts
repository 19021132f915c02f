import { timerMs } from '#base/time/longest-timer.ts';
import { isAborted } from '../errors.ts';
import { RateLimit } from '../http/rate-limit.ts';

/** Called for events in a queue, for metrics. Times are in seconds. */
export interface QueueObserver {
  added?(): void;
  depth?(depth: number): void;
  started?(waitedSeconds: number): void;
  finished?(workedSeconds: number): void;
  retried?(): void;
}

export interface WorkQueueOptions {
  /** How many keys are worked on at the same time; 1 by default. */
  readonly workers?: number;
  /**
   * The delay after the first failure of a key, and the longest delay. It doubles with each further failure. By default
   * 5 ms and 1,000 s.
   */
  readonly firstRetryMs?: number;
  readonly longestRetryMs?: number;
  /** Limits the retries of all keys together: by default 10 per second after the first 100. */
  readonly retriesPerSecond?: number;
  readonly retryBurst?: number;
  readonly observer?: QueueObserver | undefined;
  readonly onError?: (key: string, error: unknown, failures: number, retryInMs: number) => void;
}

/**
 * Works on one key: compares the desired with the actual state, and corrects the difference. It may request another run
 * after some milliseconds. A rejection is a failure, after which the queue tries again.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing
export type Reconcile = (key: string, signal: AbortSignal) => Promise<LookAgain | undefined | void>;

export interface LookAgain {
  readonly afterMs: number;
}

/**
 * Keys that wait for work. A key waits only once, even if it is added several times. If it is added during the work on
 * it, the work is done again afterwards. There is never work on one key twice at the same time.
 *
 * @example
 * const queue = new WorkQueue({ workers: 4, onError: console.error });
 * pods.on({ added: (pod) => queue.add(keyOf(pod)) }, signal);
 * await queue.run(async (key) => reconcile(pods.get(key)), signal);
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #retries: RateLimit;
  /** The waiting keys, each with the time since which it has been waiting. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Map<string, number>();
  /** Keys that were added while a worker was working on them. */
  readonly #again = new Set<string>();
  readonly #later = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  readonly #failures = new Map<string, number>();
  #run: { readonly reconcile: Reconcile; readonly signal: AbortSignal; finish(): void } | undefined;
  #ended = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#options = options;
    this.#retries = new RateLimit(options.retriesPerSecond ?? 10, options.retryBurst ?? 100);
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** How long the current work on keys has lasted, in seconds: the sum for all keys, and the longest time. */
  get unfinished(): { readonly sum: number; readonly longest: number } {
    const now = performance.now();
    const seconds = [...this.#working.values()].map((since) => (now - since) / 1000);
    return { sum: seconds.reduce((a, b) => a + b, 0), longest: Math.max(0, ...seconds) };
  }

  /** Adds a key. A worker takes it soon. */
  add(key: string): void {
    if (this.#ended) return;
    const later = this.#later.get(key);
    if (later !== undefined) {
      clearTimeout(later.timer);
      this.#later.delete(key);
    }
    if (this.#working.has(key)) {
      if (!this.#again.has(key)) this.#options.observer?.added?.();
      this.#again.add(key);
      return;
    }
    if (this.#waiting.has(key)) return;
    this.#waiting.set(key, performance.now());
    this.#options.observer?.added?.();
    this.#options.observer?.depth?.(this.#waiting.size);
    this.#fill();
  }

  /** Adds a key for work after some time. If the key is added again, the shortest of its delays is used. */
  addAfter(key: string, ms: number): void {
    if (this.#ended) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const wait = timerMs(ms);
    const at = performance.now() + wait;
    const planned = this.#later.get(key);
    if (planned !== undefined && planned.at <= at) return;
    if (planned !== undefined) clearTimeout(planned.timer);
    const timer = setTimeout(() => {
      this.#later.delete(key);
      this.add(key);
    }, timerMs(wait));
    timer.unref();
    this.#later.set(key, { at, timer });
  }

  /**
   * Works on keys until the signal aborts. Resolves when the work in progress has ended. A queue can run only once.
   * @throws Error the second time
   */
  async run(reconcile: Reconcile, signal: AbortSignal): Promise<void> {
    if (this.#run !== undefined) throw new Error('a queue runs once');
    await new Promise<void>((finish) => {
      this.#run = { reconcile, signal, finish };
      if (signal.aborted) this.#end();
      else signal.addEventListener('abort', () => this.#end(), { once: true });
      this.#fill();
    });
  }

  #end(): void {
    this.#ended = true;
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
    for (const { timer } of this.#later.values()) clearTimeout(timer);
    this.#later.clear();
    this.#options.observer?.depth?.(0);
    if (this.#working.size === 0) this.#run?.finish();
  }

  #fill(): void {
    if (this.#run === undefined || this.#ended) return;
    const workers = this.#options.workers ?? 1;
    for (const [key, since] of this.#waiting) {
      if (this.#working.size >= workers) return;
      this.#waiting.delete(key);
      const now = performance.now();
      this.#working.set(key, now);
      this.#options.observer?.depth?.(this.#waiting.size);
      this.#options.observer?.started?.((now - since) / 1000);
      void this.#work(key, this.#run.reconcile, this.#run.signal);
    }
  }

  async #work(key: string, reconcile: Reconcile, signal: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      // A worker takes the key only after the current turn of the caller that added it.
      await undefined;
      const result = await reconcile(key, signal);
      this.#failures.delete(key);
      if (result) this.addAfter(key, result.afterMs);
    } catch (error) {
      if (!signal.aborted && !isAborted(error)) this.#retry(key, error);
      else if (!signal.aborted) this.addAfter(key, 1000);
    }
    this.#working.delete(key);
    this.#options.observer?.finished?.((performance.now() - began) / 1000);
    if (this.#ended) {
      if (this.#working.size === 0) this.#run?.finish();
      return;
    }
    if (this.#again.delete(key)) {
      this.#waiting.set(key, performance.now());
      this.#options.observer?.depth?.(this.#waiting.size);
    }
    this.#fill();
  }

  #retry(key: string, error: unknown): void {
    const { firstRetryMs = 5, longestRetryMs = 1_000_000 } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const wait = Math.max(Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1)), this.#retries.reserve());
    this.#options.observer?.retried?.();
    this.#options.onError?.(key, error, failures, wait);
    this.addAfter(key, wait);
  }
}
