import type { CacheSubscription } from './subscription.ts';

/** How long subscribers may hold the event loop at a stretch, in milliseconds. */
const SLICE_MS = 8;

/** Signals subscriptions in the next turn of the event loop: several batches of changes make one wake-up. */
export class NotificationQueue {
  readonly #onError: (error: unknown) => void;
  readonly #groups = new Set<Iterable<CacheSubscription>>();
  #queue: CacheSubscription[] = [];
  #next = 0;
  #scheduled = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(subscription: CacheSubscription): void {
    this.#queue.push(subscription);
    this.#schedule();
  }

  /** All that are in `group` by then. */
  addAll(group: Iterable<CacheSubscription>): void {
    this.#groups.add(group);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    // one by one: a call takes no more arguments than the stack has room for
    for (const group of this.#groups) for (const subscription of group) this.#queue.push(subscription);
    this.#groups.clear();
    const end = performance.now() + SLICE_MS;
    while (this.#next < this.#queue.length) {
      const subscription = this.#queue[this.#next++]!;
      try {
        subscription.signal();
      } catch (error) {
        this.#onError(error);
      }
      if (performance.now() >= end && this.#next < this.#queue.length) {
        this.#schedule();
        return;
      }
    }
    this.#queue = [];
    this.#next = 0;
  }
}
