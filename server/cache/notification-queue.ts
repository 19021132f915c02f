import type { Revision } from '#storage/object-store.ts';
import type { CacheSubscription } from './subscription.ts';

/** How long subscribers may block the event loop without a pause, in milliseconds. */
const SLICE_MS = 8;

/** The largest group that is small. Small groups are notified before large ones. */
const SMALL_GROUP = 16;

type Group = ReadonlySet<CacheSubscription>;

/** After this number of calls, a line frees the memory of the called subscriptions. */
const COMPACT_FROM = 1024;

/** Subscriptions in the order of arrival. */
class Line {
  #waiting: CacheSubscription[] = [];
  #next = 0;

  get isEmpty(): boolean {
    return this.#next === this.#waiting.length;
  }

  push(subscription: CacheSubscription): void {
    this.#waiting.push(subscription);
  }

  /** Removes the first subscription. The line must not be empty. */
  shift(): CacheSubscription {
    const first = this.#waiting[this.#next++]!;
    if (this.isEmpty) this.#waiting = [];
    else if (this.#next < COMPACT_FROM || this.#next < this.#waiting.length >> 1) return first;
    else this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    return first;
  }
}

/**
 * Calls subscribers in the next turn of the event loop, so that several changes cost each of them only one call. A turn
 * ends after 8 ms. The queue calls the remaining subscribers after other work. It first calls the watchers of new
 * changes: small groups before large ones. After them it calls the subscriptions that have asked for a turn.
 */
export class NotificationQueue {
  readonly #onError: (error: unknown) => void;
  /** Groups with new changes, and the revisions of these changes. */
  readonly #groups = new Set<Group>();
  #revisions = new Set<Revision>();
  #afterTurn: (() => void)[] = [];
  readonly #small = new Line();
  readonly #large = new Line();
  readonly #turns = new Line();
  #scheduled = false;

  /** @param onError gets the errors of subscribers */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Calls a subscription in a coming turn, whether or not there are changes. */
  add(subscription: CacheSubscription): void {
    this.#turns.push(subscription);
    this.#schedule();
  }

  /** Notifies the subscriptions that are in `group` when the turn comes. `revision` is the revision of the change. */
  addGroup(group: Group, revision: Revision): void {
    this.#groups.add(group);
    this.#revisions.add(revision);
    this.#schedule();
  }

  /**
   * Resolves after the turn that notifies watchers of the change with this revision, and never later than the end of
   * the first slice of that turn. So a large group or a slow watcher delays the caller by at most one slice. Undefined
   * if no watcher waits for that turn.
   */
  notified(revision: Revision): Promise<void> | undefined {
    if (!this.#revisions.has(revision)) return undefined;
    return new Promise((resolve) => this.#afterTurn.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    for (const group of this.#groups) {
      const line = group.size <= SMALL_GROUP ? this.#small : this.#large;
      // They are added one by one, because the stack has no room for a call with very many arguments.
      for (const subscription of group) line.push(subscription);
    }
    this.#groups.clear();
    const end = performance.now() + SLICE_MS;
    this.#signal(this.#small, end);
    this.#signal(this.#large, end);
    this.#release();
    this.#signal(this.#turns, end);
    if (!this.#small.isEmpty || !this.#large.isEmpty || !this.#turns.isEmpty) this.#schedule();
  }

  /**
   * Calls one subscriber of the line even after the end of the slice, so that each line makes progress in every turn.
   */
  #signal(line: Line, end: number): void {
    while (!line.isEmpty) {
      try {
        line.shift().signal();
      } catch (error) {
        this.#onError(error);
      }
      if (performance.now() >= end) return;
    }
  }

  #release(): void {
    if (this.#revisions.size > 0) this.#revisions = new Set();
    const released = this.#afterTurn;
    if (released.length === 0) return;
    this.#afterTurn = [];
    for (const resolve of released) resolve();
  }
}
