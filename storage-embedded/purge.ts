import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Revision } from '#storage/object-store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { lastIdOf } from './ids.ts';
import type { Pages } from './pages.ts';
import type { Rows } from './rows.ts';
import type { Transaction } from './transaction.ts';

/** The number of changes in one step, and the approximate number of bytes of pages that each change modifies. */
const SLICE = 200;
const BYTES_EACH = 4_096;

/** The number of free pages that one step gives back to the disk. */
const PAGES = 64;

/** The number of free pages, and the share of the file, that stay for the next writes. */
const KEPT_PAGES = 256;
const KEPT_SHARE = 0.2;

/** The place at which a purge begins. */
export interface PurgeState {
  /** The id of the last change that was checked. */
  readonly purged: number;
  readonly compacted: Revision;
}

/**
 * Deletes rows that no reader can request any more, in small steps, and frees their space. A change replaces the
 * previous change of its key. So the purge reads only changes up to the compacted revision, and each of them once.
 */
export class Purge {
  readonly #pages: Pages;
  readonly #queue: CommitQueue;
  /** Revisions that readers are using, each with the number of readers. */
  readonly #pins: ReadonlyMap<Revision, number>;
  #purged: number;
  #compacted: Revision;
  #running: Promise<void> | undefined;
  #ended = false;

  constructor(pages: Pages, queue: CommitQueue, pins: ReadonlyMap<Revision, number>, state: PurgeState) {
    this.#pages = pages;
    this.#queue = queue;
    this.#pins = pins;
    this.#purged = state.purged;
    this.#compacted = state.compacted;
  }

  /** Whether there is more to delete, or space to free. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  /** Starts a purge up to this revision, or extends the running one. */
  upTo(compacted: Revision): void {
    this.#compacted = Math.max(this.#compacted, compacted);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when the purge has stopped. It may stop at any place, and the next start continues it. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  /** Resolves when all work is done that can be done now. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#ended && (await this.#slice())) await nextTurn();
      while (!this.#ended && this.#hasMuchRoom()) {
        await this.#queue.do((transaction) => {
          this.#pages.giveBack(PAGES);
          transaction.bytes += PAGES * BYTES_EACH;
        }, true);
        await nextTurn();
      }
    } catch {
      // The queue has reported the error. The next compaction continues.
    }
  }

  /** Handles the next changes. Resolves to whether there may be more. */
  async #slice(): Promise<boolean> {
    const until = lastIdOf(Math.min(this.#compacted, ...this.#pins.keys()));
    if (until <= this.#purged) return false;
    const { purged, more } = await this.#queue.do((transaction) => purgeSome(transaction, this.#purged, until), true);
    this.#purged = purged;
    return more;
  }

  #hasMuchRoom(): boolean {
    return this.#pages.free > Math.max(KEPT_PAGES, this.#pages.all * KEPT_SHARE) + PAGES;
  }
}

function purgeSome(transaction: Transaction, purged: number, until: number): { purged: number; more: boolean } {
  const { statements } = transaction;
  const rows = statements.purgeable.all(purged, until, SLICE) as unknown as Rows;
  for (const row of rows) {
    const [id, previous, key, isRemoval] = row as [number, number, string, number];
    if (previous > 0) statements.deleteChange.run(previous);
    if (isRemoval === 0) continue;
    statements.deleteChange.run(id);
    statements.deleteKey.run(key, id);
  }
  const more = rows.length === SLICE;
  const reached = more ? Number(rows.at(-1)![0]) : until;
  statements.setState.run(String(reached), 'purged');
  transaction.bytes += (rows.length + 1) * BYTES_EACH;
  return { purged: reached, more };
}
