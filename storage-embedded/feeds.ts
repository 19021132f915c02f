import { setImmediate as nextTurn } from 'node:timers/promises';
import { append } from '#base/collections/append.ts';
import {
  type Batch,
  type Change,
  CompactedError,
  type Feed,
  FeedBrokenError,
  type FeedOptions,
  FutureRevisionError,
  type Revision,
} from '#storage/object-store.ts';
import { storeError } from './failure.ts';
import { lastIdOf, revisionOf } from './ids.ts';
import { type ChangeRow, changeOf, readChanges } from './rows.ts';
import type { Statements } from './statements.ts';

/** The number of latest changes in memory, for feeds that keep up, and the limit of the bytes of their values. */
const KEPT = 2_000;
const KEPT_BYTES = 4 * 1024 * 1024;

/** How many changes a feed that catches up reads at once. */
const PAGE = 200;

/** The parts of the store that feeds need. */
export interface FeedSource {
  readonly statements: Statements;
  /** The oldest revision after which a feed can start. */
  compacted(): Revision;
  /** The revision up to which everything is committed, durable or not. */
  committed(): Revision;
}

/**
 * The feeds of a store. Each delivers durable changes. A feed that keeps up reads them from memory, and any other from
 * the tables.
 */
export class Feeds {
  readonly #source: FeedSource;
  readonly #wake = new Set<() => void>();
  /** The latest changes: all those after the revision `keptAfter`. */
  #kept: ChangeRow[] = [];
  #keptBytes = 0;
  #keptAfter: Revision;
  #durable: Revision;
  #closed = false;

  constructor(source: FeedSource, revision: Revision) {
    this.#source = source;
    this.#durable = revision;
    this.#keptAfter = revision;
  }

  /** The revision up to which everything is durable. */
  get durable(): Revision {
    return this.#durable;
  }

  /** Adds changes that have become durable. */
  publish(changes: readonly ChangeRow[], revision: Revision): void {
    this.#durable = revision;
    for (const change of changes) {
      this.#kept.push(change);
      this.#keptBytes += change.value?.length ?? 0;
    }
    if (this.#kept.length > 2 * KEPT || this.#keptBytes > 2 * KEPT_BYTES) this.#forget();
    for (const wake of [...this.#wake]) wake();
  }

  /** Ends all feeds. */
  close(): void {
    this.#closed = true;
    for (const wake of [...this.#wake]) wake();
  }

  open(prefix: string, after: Revision, options: FeedOptions): Feed {
    const asked = { progress: false };
    return {
      requestProgress: () => {
        asked.progress = true;
        for (const wake of [...this.#wake]) wake();
      },
      [Symbol.asyncIterator]: () => this.#run(prefix, after, options, asked),
    };
  }

  async *#run(
    prefix: string,
    after: Revision,
    { signal, previous }: FeedOptions,
    asked: { progress: boolean },
  ): AsyncGenerator<Batch, void, undefined> {
    if (signal.aborted) return;
    this.#check(after);
    let position = after;
    let resume: (() => void) | undefined;
    const wake = () => resume?.();
    this.#wake.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        if (signal.aborted) return;
        if (this.#closed) throw new FeedBrokenError('the store was closed');
        if (position < this.#durable) {
          const { changes, revision } = this.#next(position, prefix);
          position = revision;
          // Lets other work run during many changes of other prefixes.
          if (changes.length === 0) await nextTurn();
          else {
            yield { changes: changes.map((change) => this.#delivered(change, previous === true)), revision };
          }
        } else if (asked.progress) {
          asked.progress = false;
          yield { changes: [], revision: position };
        } else {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
          resume = undefined;
        }
      }
    } finally {
      this.#wake.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }

  #check(after: Revision): void {
    if (after > this.#source.committed()) throw new FutureRevisionError();
    const compacted = this.#source.compacted();
    if (after < compacted) throw new CompactedError(compacted);
  }

  /**
   * The changes of the next revisions after `position`. The second value is a revision: the list has all changes up to
   * it.
   */
  #next(position: Revision, prefix: string): { changes: ChangeRow[]; revision: Revision } {
    const matches = (change: ChangeRow): boolean => change.key.startsWith(prefix);
    if (position >= this.#keptAfter) {
      const from = firstAfter(this.#kept, lastIdOf(position));
      const revision = this.#kept.length - from <= PAGE ? this.#durable : revisionOf(this.#kept[from + PAGE]!.id);
      const changes: ChangeRow[] = [];
      for (let i = from; i < this.#kept.length && revisionOf(this.#kept[i]!.id) <= revision; i++) {
        if (matches(this.#kept[i]!)) changes.push(this.#kept[i]!);
      }
      return { changes, revision };
    }
    this.#check(position);
    const { changes: statement } = this.#source.statements;
    const read = (after: number, until: number, limit: number) => {
      try {
        return readChanges(statement, after, until, limit);
      } catch (error) {
        throw new FeedBrokenError((storeError(error) as Error).message);
      }
    };
    const { changes, whole } = read(lastIdOf(position), lastIdOf(this.#durable), PAGE);
    const last = changes.at(-1);
    if (last === undefined || (whole && changes.length < PAGE))
      return { changes: changes.filter(matches), revision: this.#durable };
    const revision = revisionOf(last.id);
    // The page may end inside a revision. This loop adds the rest of that revision.
    for (let from = last.id; ; from = changes.at(-1)!.id) {
      const rest = read(from, lastIdOf(revision), PAGE);
      append(changes, rest.changes);
      if (rest.whole && rest.changes.length < PAGE) return { changes: changes.filter(matches), revision };
    }
  }

  #delivered({ id, previous: before, created, key, value }: ChangeRow, withPrevious: boolean): Change {
    const revision = revisionOf(id);
    let previous: Change['previous'];
    if (withPrevious && before > 0 && created < revision) {
      const row = this.#source.statements.change.get(before);
      const found = row === undefined ? undefined : changeOf(row);
      if (found?.value !== undefined) previous = { key, value: found.value, revision: revisionOf(before) };
    }
    return { key, revision, value, createRevision: created, previous };
  }

  #forget(): void {
    let from = 0;
    let bytes = this.#keptBytes;
    while (this.#kept.length - from > KEPT || bytes > KEPT_BYTES) bytes -= this.#kept[from++]!.value?.length ?? 0;
    const revision = revisionOf(this.#kept[from - 1]!.id);
    // Changes are dropped from memory only by whole revisions.
    while (from < this.#kept.length && revisionOf(this.#kept[from]!.id) === revision) {
      bytes -= this.#kept[from++]!.value?.length ?? 0;
    }
    this.#kept = this.#kept.slice(from);
    this.#keptBytes = bytes;
    this.#keptAfter = revision;
  }
}

/** The place of the first change after an id, in changes that are sorted by id. */
function firstAfter(changes: readonly ChangeRow[], id: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
