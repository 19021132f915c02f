import { type ClockReading, elapsed } from '#base/time/two-clocks.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import type { Frontier } from './frontier.ts';

/** How long a reader waits until the cache reaches the store's revision, in milliseconds. */
const CATCH_UP_MS = 1000;

/** How long it still waits if other readers have already waited the full time. */
const SHORT_MS = 100;

/**
 * The error that the store answers, but the cache has not reached its revision. The caller then reads from the store.
 */
export class NotCaughtUpError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotCaughtUpError';
  }
}

/** The functions that are called after a probe of the store. */
export interface FreshnessHost {
  now(): ClockReading;
  ready(): boolean;
  /** A number that changes when the cache is filled again. */
  generation(): number;
  /** Called if the store is older than the cache: it is another store, or a restored older state. */
  storeWentBack(): void;
  /**
   * Resolves to whether the feed continues, or becomes certain to continue in that time. After a pause the store may be
   * another one.
   */
  following(timeoutMs: number): Promise<boolean>;
  /** Called if the feed is too far behind. */
  fellBehind(): void;
}

/** Ensures that the cache is as new as the store. All callers at the same time share one probe of the store. */
export class Freshness {
  readonly #store: ObjectStore;
  readonly #frontier: Frontier;
  readonly #host: FreshnessHost;
  #probing: Promise<void> | undefined;
  #queued: Promise<number> | undefined;
  #confirmed: ClockReading | undefined;
  #behindSince: number | undefined;

  constructor(store: ObjectStore, frontier: Frontier, host: FreshnessHost) {
    this.#store = store;
    this.#frontier = frontier;
    this.#host = host;
  }

  /** How long ago the store last confirmed that the cache missed nothing, in milliseconds. */
  get unconfirmedMs(): number {
    return this.#confirmed === undefined ? Number.POSITIVE_INFINITY : elapsed(this.#confirmed, this.#host.now());
  }

  /** Records that the cache was filled by a read, or confirmed by a probe, that began at that time. */
  confirm(at: ClockReading): void {
    if (this.#confirmed === undefined || elapsed(this.#confirmed, at) > 0) this.#confirmed = at;
    this.#behindSince = undefined;
  }

  /** Makes the cache unconfirmed. */
  distrust(): void {
    this.#confirmed = undefined;
  }

  /**
   * Resolves to a revision that the cache has reached. It is at least the revision that the store had at the call.
   *
   * @throws NotCaughtUpError, StoreUnavailableError
   */
  fresh(): Promise<number> {
    if (this.#probing === undefined) return this.#probe();
    // The probe in progress may have read the revision before this call.
    this.#queued ??= this.#probing.then(() => {
      this.#queued = undefined;
      return this.#probe();
    });
    return this.#queued;
  }

  #probe(): Promise<number> {
    const at = this.#host.now();
    const before = this.#frontier.revision;
    const generation = this.#host.generation();
    const answer = this.#store.currentRevision();
    const settled = () => {
      this.#probing = undefined;
    };
    this.#probing = answer.then(settled, settled);
    return answer.then((revision) => this.#reach(revision, at, before, generation));
  }

  async #reach(revision: number, at: ClockReading, before: number, generation: number): Promise<number> {
    this.#check(generation);
    if (revision < before) {
      this.#host.storeWentBack();
      throw new NotCaughtUpError('the store was restored');
    }
    if (!(await this.#host.following(CATCH_UP_MS))) throw new NotCaughtUpError('the feed is interrupted');
    this.#check(generation);
    if (this.#frontier.revision < revision && !(await this.#wait(revision))) {
      if (this.#host.generation() === generation) this.#host.fellBehind();
      throw new NotCaughtUpError(`the cache is at ${this.#frontier.revision}, the store at ${revision}`);
    }
    this.#check(generation);
    this.confirm(at);
    return revision;
  }

  /** Checks that the probe and the content of the cache are of the same store. */
  #check(generation: number): void {
    if (!this.#host.ready() || this.#host.generation() !== generation) {
      throw new NotCaughtUpError('the cache is being filled');
    }
  }

  #wait(revision: number): Promise<boolean> {
    const now = performance.now();
    this.#behindSince ??= now;
    return this.#frontier.waitFor(revision, Math.max(SHORT_MS, this.#behindSince + CATCH_UP_MS - now));
  }
}
