import { TimeSlice } from '#base/time/time-slice.ts';
import {
  CompactedError,
  FutureRevisionError,
  type Page,
  type PageRequest,
  type Revision,
  type Stored,
  StoreUnavailableError,
} from '#storage/object-store.ts';
import { StoreDamagedError } from './checksum.ts';
import { keyAfter, lastIdOf, prefixEnd, revisionOf } from './ids.ts';
import { changeOf, keyOf, type Rows, readChanges } from './rows.ts';
import type { Statements } from './statements.ts';

/** The number of keys that are read or counted before other work may run. */
const CHUNK = 200;
const COUNT_CHUNK = 5_000;

/** The number of lists for which the count of remaining keys is remembered. */
const REMEMBERED = 64;

const NOTHING = Buffer.alloc(0);

/** The parts of the store that reads use. */
export interface ReadSource {
  readonly statements: Statements;
  committed(): Revision;
  compacted(): Revision;
}

/** A range of keys at a revision, from the first key to the one before the last. */
interface Stretch {
  readonly from: string;
  readonly end: string;
  readonly at: Revision;
}

/** Reads of the present and of earlier revisions. */
export class Reads {
  /** The revisions of running reads, each with its number of readers. The changes that these reads need stay. */
  readonly pins = new Map<Revision, number>();
  readonly #source: ReadSource;
  /** The number of remaining keys of a list after a page, by its revision, its end and its next key. */
  readonly #left = new Map<string, number>();

  constructor(source: ReadSource) {
    this.#source = source;
  }

  /** @throws CompactedError, FutureRevisionError, StoreDamagedError */
  get(key: string, at: Revision | undefined): Stored | undefined {
    const { statements } = this.#source;
    const revision = this.#readable(at);
    const row = statements.key.get(key);
    if (row === undefined) return undefined;
    const { id, created } = keyOf(row);
    const last = lastIdOf(revision);
    if (id > last) return this.#earlier(id, last);
    return created === 0 ? undefined : this.#stored(id, key);
  }

  /** @throws the errors of `get`, and StoreUnavailableError if the signal aborts */
  async list(prefix: string, { at, limit = 0, after, keysOnly, signal }: PageRequest): Promise<Page> {
    const revision = this.#readable(at);
    const from = after !== undefined && after >= prefix ? keyAfter(after) : prefix;
    const most = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    const stretch = { from, end: prefixEnd(prefix), at: revision };
    return this.#pinned(revision, async () => {
      const items: Stored[] = [];
      const next = await this.#read(stretch, items, most, keysOnly === true, signal);
      const remaining = next === undefined ? 0 : await this.#remaining(stretch, next, items.length);
      return { items, revision, remaining, more: remaining > 0 };
    });
  }

  async count(prefix: string): Promise<number> {
    const at = this.#readable(undefined);
    return this.#pinned(at, () => this.#count({ from: prefix, end: prefixEnd(prefix), at }));
  }

  #readable(at: Revision | undefined): Revision {
    const committed = this.#source.committed();
    if (at === undefined || at <= 0) return committed;
    if (at > committed) throw new FutureRevisionError();
    const compacted = this.#source.compacted();
    if (at < compacted) throw new CompactedError(compacted);
    return at;
  }

  async #pinned<T>(revision: Revision, read: () => Promise<T>): Promise<T> {
    this.pins.set(revision, (this.pins.get(revision) ?? 0) + 1);
    try {
      return await read();
    } finally {
      const left = this.pins.get(revision)! - 1;
      if (left === 0) this.pins.delete(revision);
      else this.pins.set(revision, left);
    }
  }

  /**
   * Reads up to `most` items of a range. Resolves to the key from which to continue, or undefined at the end of the
   * range.
   */
  async #read(
    { from, end, at }: Stretch,
    items: Stored[],
    most: number,
    keysOnly: boolean,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { statements } = this.#source;
    const slice = new TimeSlice();
    for (let next = from; ; ) {
      if (signal?.aborted) throw new StoreUnavailableError('the caller gave it up');
      const wanted = Math.min(CHUNK, most - items.length);
      if (wanted === 0) return next;
      const isNow = at === this.#source.committed();
      if (isNow && !keysOnly) {
        const { changes, whole } = readChanges(statements.range, next, end, wanted);
        for (const { key, value, id } of changes) items.push({ key, value: value!, revision: revisionOf(id) });
        if (whole && changes.length < wanted) return undefined;
        next = keyAfter(changes.at(-1)!.key);
      } else {
        const rows = statements.keys.all(next, end, wanted) as unknown as Rows;
        for (const row of rows) {
          const found = this.#asOf(row, at, keysOnly);
          if (found !== undefined) items.push(found);
        }
        if (rows.length < wanted) return undefined;
        next = keyAfter(String(rows.at(-1)![0]));
      }
      if (slice.over) await slice.yield();
    }
  }

  /** A key at a revision, from a row of key, id and created; undefined if the key did not exist then. */
  #asOf(row: Rows[number], at: Revision, keysOnly: boolean): Stored | undefined {
    const [key, id, created] = row as [string, number, number];
    const last = lastIdOf(at);
    if (id <= last) {
      if (created === 0) return undefined;
      return keysOnly ? { key, value: NOTHING, revision: revisionOf(id) } : this.#stored(id, key);
    }
    const found = this.#earlier(id, last);
    return found === undefined || !keysOnly ? found : { ...found, value: NOTHING };
  }

  /** The number of keys of a range from `next` on. `read` keys were read before. */
  async #remaining({ from, end, at }: Stretch, next: string, read: number): Promise<number> {
    const place = (key: string) => `${at} ${end} ${key}`;
    // The previous page has stored the number. Without it, each page would count the remaining keys again.
    const known = this.#left.get(place(from));
    const remaining = known === undefined ? await this.#count({ from: next, end, at }) : known - read;
    this.#left.delete(place(from));
    this.#left.set(place(next), remaining);
    if (this.#left.size > REMEMBERED) this.#left.delete(this.#left.keys().next().value!);
    return remaining;
  }

  async #count({ from, end, at }: Stretch): Promise<number> {
    const { statements } = this.#source;
    const slice = new TimeSlice();
    let count = 0;
    for (let next = from; ; ) {
      let last: string;
      if (at === this.#source.committed()) {
        const [there, seen, key] = statements.count.get(next, end, COUNT_CHUNK) as unknown as [number, number, string];
        count += there;
        if (seen < COUNT_CHUNK) return count;
        last = key;
      } else {
        const rows = statements.keys.all(next, end, CHUNK) as unknown as Rows;
        for (const row of rows) if (this.#asOf(row, at, true) !== undefined) count++;
        if (rows.length < CHUNK) return count;
        last = String(rows.at(-1)![0]);
      }
      next = keyAfter(last);
      if (slice.over) await slice.yield();
    }
  }

  #stored(id: number, key: string): Stored {
    const row = this.#source.statements.change.get(id);
    if (row === undefined) throw new StoreDamagedError(`the file of the store is damaged: a value of ${key} is gone`);
    return { key, value: changeOf(row).value!, revision: revisionOf(id) };
  }

  /**
   * The state of a key before the change `id`, at the change `last` or an earlier one; undefined if the key did not
   * exist then.
   */
  #earlier(id: number, last: number): Stored | undefined {
    const { statements } = this.#source;
    let found = id;
    while (found > last) {
      const row = statements.previous.get(found) as unknown as readonly [number] | undefined;
      // 0 means that the key did not exist before.
      found = row?.[0] ?? 0;
    }
    const row = found === 0 ? undefined : statements.change.get(found);
    if (row === undefined) return undefined;
    const { key, value } = changeOf(row);
    return value && { key, value, revision: revisionOf(found) };
  }
}
