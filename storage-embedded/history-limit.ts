import type { Revision } from '#storage/object-store.ts';
import type { ChangeRow } from './rows.ts';

/** History may always take this many bytes. */
export const HISTORY_BYTES = 64 * 1024 * 1024;

/** The share of the live data that history may take, if that is more than the fixed size. */
const SHARE = 0.4;

/** The share of the limit that remains after history was dropped. */
const STAYS = 0.5;

/** The precision in bytes with which the written amount is recorded. */
const MARK_BYTES = 1024 * 1024;

/** The space of a change besides its key and its value, in bytes. It is for its numbers, and its share of a page. */
const OVERHEAD = 64;

/**
 * Decides when history takes so much space that it must be dropped early. Otherwise a store under constant writes would
 * keep several minutes of writes, even if little of the data is live. Every write counts as history, even if its value
 * is still live. So a store that is being filled drops its history more often than necessary.
 */
export class HistoryLimit {
  readonly #least: number;
  /** The bytes that were written up to certain revisions, in order. The first mark is the beginning of the history. */
  #marks: { readonly revision: Revision; readonly written: number }[];
  #written = 0;

  /** @param least bytes that history may always take */
  constructor(least: number, compacted: Revision) {
    this.#least = least;
    this.#marks = [{ revision: compacted, written: 0 }];
  }

  /** Adds the size of the changes up to a revision. */
  note(changes: readonly ChangeRow[], revision: Revision): void {
    for (const { key, value } of changes) this.#written += OVERHEAD + 2 * key.length + (value?.length ?? 0);
    if (this.#written - this.#marks.at(-1)!.written >= MARK_BYTES)
      this.#marks.push({ revision, written: this.#written });
  }

  /** Records that history before a revision was dropped. */
  dropped(revision: Revision): void {
    const from = this.#marks.findLastIndex((mark) => mark.revision <= revision);
    if (from > 0) this.#marks.splice(0, from);
  }

  /** Whether history is larger than the amount that may always stay. Only then does the amount of live data matter. */
  get mayBeOver(): boolean {
    return this.#history > this.#least;
  }

  /**
   * The revision up to which history must be dropped; undefined if it may stay.
   *
   * @param used bytes of everything that the store holds, live or not
   */
  excess(used: number): Revision | undefined {
    const most = Math.max(this.#least, SHARE * (used - this.#history));
    if (this.#history <= most) return undefined;
    const mark = this.#marks.findLast(({ written }) => this.#written - written >= most * STAYS);
    return mark === undefined || mark === this.#marks[0] ? undefined : mark.revision;
  }

  get #history(): number {
    return this.#written - this.#marks[0]!.written;
  }
}
