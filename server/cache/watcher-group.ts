import type { Revision } from '#storage/object-store.ts';
import { ChangeLog } from './change-log.ts';
import type { History } from './history.ts';
import { CacheSubscription } from './subscription.ts';
import type { WatchPredicate } from './watch-predicate.ts';

/** The part of a cache that subscriptions use. */
export interface CacheHost {
  readonly frontier: number;
  /** Calls a subscription in a later turn of the event loop. */
  notify(subscription: CacheSubscription): void;
  /** Calls the subscriptions of a group in the next turn, for the change with that revision. */
  notifyGroup(subscriptions: ReadonlySet<CacheSubscription>, revision: Revision): void;
}

/** The subscribers of a resource that have one predicate. */
export class WatcherGroup {
  readonly log: ChangeLog;
  readonly subscriptions = new Set<CacheSubscription>();
  readonly #host: CacheHost;
  readonly #history: History;
  readonly #onEmpty: () => void;

  constructor(host: CacheHost, history: History, predicate: WatchPredicate, onEmpty: () => void) {
    this.log = new ChangeLog(history, predicate);
    this.#host = host;
    this.#history = history;
    this.#onEmpty = onEmpty;
  }

  get frontier(): number {
    return this.#host.frontier;
  }

  /** A subscription to the changes after a revision. The history must reach back to it. */
  open(after: number): CacheSubscription {
    const cursor = this.#history.after(after);
    this.log.extendTo(cursor);
    const subscription = new CacheSubscription(this, after, cursor);
    this.subscriptions.add(subscription);
    return subscription;
  }

  /** Called when a matching change was added to the history. */
  add(sequence: number): void {
    this.log.add(sequence);
    this.#host.notifyGroup(this.subscriptions, this.revisionAt(sequence));
  }

  revisionAt(sequence: number): number {
    return this.#history.at(sequence)!.revision;
  }

  notify(subscription: CacheSubscription): void {
    this.#host.notify(subscription);
  }

  leave(subscription: CacheSubscription): void {
    this.subscriptions.delete(subscription);
    if (this.subscriptions.size === 0) this.#onEmpty();
  }
}
