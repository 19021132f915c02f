import type { ChangeLog } from './change-log.ts';
import type { ItemChange } from './item.ts';

/**
 * A cursor into a resource's changes. The subscriber pulls changes. A subscriber that does not pull costs nothing. If
 * changes that it has not seen leave the history, the subscription is lost.
 */
export interface Subscription {
  /** The next changes in scope, at most `max`, possibly none. Empty if the subscription is lost or closed. */
  next(max: number): readonly ItemChange[];
  /** The subscriber has pulled everything up to and including this revision. */
  readonly position: number;
  /**
   * Whether the subscriber has missed changes, because the history was trimmed past the cursor or the cache was filled
   * again. This is final.
   */
  readonly gone: boolean;
  /**
   * The callback for new changes and for the loss of the subscription. It is called at most once between two calls of
   * `next`, so pull until `next` gives nothing. If there are already changes, it is called soon.
   */
  onReady(callback: () => void): void;
  /** Requests one more call of the callback, after other subscribers, whether or not there are changes. */
  requestTurn(): void;
  close(): void;
}

/** Most pulls find no change, so they share one empty array. */
const NONE: readonly ItemChange[] = [];

/** The part of a group that a subscription uses. */
export interface SubscribedGroup {
  readonly log: ChangeLog;
  /** The revision up to which the log is complete. */
  readonly frontier: number;
  revisionAt(position: number): number;
  /** Calls the subscriber after those that already wait. */
  notify(subscription: CacheSubscription): void;
  leave(subscription: CacheSubscription): void;
}

/** A {@link Subscription} with the methods that its group calls. */
export class CacheSubscription implements Subscription {
  readonly #group: SubscribedGroup;
  /**
   * The revision up to which the subscriber does not want changes. It is above the frontier if the subscriber asked for
   * a later start.
   */
  readonly #after: number;
  #cursor: number;
  #seen: number;
  #gone = false;
  #closed = false;
  #signalled = false;
  #callback: (() => void) | undefined;

  constructor(group: SubscribedGroup, after: number, cursor: number) {
    this.#group = group;
    this.#after = after;
    this.#seen = after;
    this.#cursor = cursor;
  }

  get gone(): boolean {
    return this.#gone || (!this.#closed && this.#detectGone());
  }

  get position(): number {
    if (this.#closed || this.gone) return this.#seen;
    const next = this.#group.log.next(this.#cursor);
    const position = next === undefined ? this.#group.frontier : this.#group.revisionAt(next) - 1;
    return Math.max(this.#after, position);
  }

  next(max: number): readonly ItemChange[] {
    this.#signalled = false;
    for (;;) {
      if (this.#closed || this.gone) return NONE;
      if (this.#group.log.next(this.#cursor) === undefined) {
        this.#seen = this.position;
        return NONE;
      }
      const { changes, end } = this.#group.log.take(this.#cursor, max);
      this.#cursor = end;
      this.#seen = this.position;
      if (changes.length === 0 || changes[0]!.revision > this.#after) return changes;
      const wanted = changes.filter((change) => change.revision > this.#after);
      if (wanted.length > 0) return wanted;
    }
  }

  onReady(callback: () => void): void {
    this.#callback = callback;
    if (this.gone || this.#group.log.next(this.#cursor) !== undefined) this.#group.notify(this);
  }

  requestTurn(): void {
    if (this.#closed) return;
    this.#signalled = false;
    this.#group.notify(this);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#callback = undefined;
    this.#group.leave(this);
  }

  /** Calls the subscriber, because there are changes to pull. */
  signal(): void {
    if (this.#signalled || this.#closed || this.#callback === undefined) return;
    this.#signalled = true;
    this.#callback();
  }

  /** Ends the subscription, because the cache lacks changes that the subscriber has not seen. */
  end(): void {
    if (this.#gone || this.#closed) return;
    this.#gone = true;
    this.#signalled = false;
    this.#group.leave(this);
    this.#group.notify(this);
  }

  /** Ends the subscription if the history was trimmed past its cursor. */
  endIfLost(): void {
    this.#detectGone();
  }

  #detectGone(): boolean {
    if (this.#group.log.covers(this.#cursor)) return false;
    this.end();
    return true;
  }
}
