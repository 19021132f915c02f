import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore, Revision } from '#storage-etcd/object-store.ts';
import { Backfill } from './backfill.ts';
import type { LoadedState } from './load-state.ts';
import type { CacheLog, Slot, Slots } from './slots.ts';

/** How long a reader waits for the changes before the start, in milliseconds. */
const RECALL_MS = 10_000;

interface PastsOptions {
  readonly store: ObjectStore;
  /** With a slash at its end. */
  readonly prefix: string;
  readonly slots: Slots;
  /** Limits of what is learned. */
  readonly revisions: number;
  readonly bytes: number;
  /** The time, in whole seconds. */
  readonly second: () => number;
  readonly signal: AbortSignal;
  readonly log: CacheLog;
}

/** The changes before the cache was filled, and before resources that were added later: learned when somebody asks. */
export class Pasts {
  readonly #options: PastsOptions;
  #whole: Backfill | undefined;
  readonly #ofSlots = new Map<Slot, Backfill>();

  constructor(options: PastsOptions) {
    this.#options = options;
  }

  /** Everything was filled with this. */
  begin(loaded: LoadedState): void {
    this.#ofSlots.clear();
    this.#whole = this.#backfill(loaded, '');
  }

  /** One resource was filled with this. */
  add(slot: Slot, loaded: Pick<LoadedState, 'revision' | 'items'>): void {
    this.#ofSlots.set(slot, this.#backfill(loaded, `${slot.id}/`));
  }

  delete(slot: Slot): void {
    this.#ofSlots.delete(slot);
  }

  /** Gives up those of states from before this second. */
  dropBefore(oldest: number): void {
    if (this.#whole !== undefined && this.#whole.second < oldest) this.#whole = undefined;
    for (const [slot, past] of this.#ofSlots) if (past.second < oldest) this.#ofSlots.delete(slot);
  }

  /** Learns the changes after `since`, if the store still has them. Resolves within 10 s, whatever came of it. */
  async recall(since: Revision): Promise<void> {
    const enough = new AbortController();
    const pasts = [this.#whole, ...this.#ofSlots.values()];
    const recalling = Promise.all(pasts.map((past) => past?.recall(since))).catch((error: unknown) => {
      this.#options.log.info({ err: error }, 'the changes before the start cannot be learned');
    });
    await Promise.race([recalling, sleep(RECALL_MS, undefined, { ref: false, signal: enough.signal }).catch(() => {})]);
    enough.abort();
  }

  /** `folder`: what the state is of, all where it is empty. */
  #backfill({ revision, items }: Pick<LoadedState, 'revision' | 'items'>, folder: string): Backfill {
    const { store, prefix, slots, revisions, bytes, second, signal } = this.#options;
    return new Backfill({
      store,
      prefix: prefix + folder,
      slots,
      items,
      revision,
      foreign: folder === '',
      revisions,
      bytes,
      second: second(),
      signal,
    });
  }
}
