import { type ItemChange, ownBytes } from './item.ts';

/** The size of a change and its replaced item without the body, in bytes. */
const CHANGE_BYTES = 100;
const ITEM_BYTES = 400;

/** A change, with the second at which it was seen. Changes are trimmed by this time. */
interface Entry extends ItemChange {
  readonly second: number;
}

/**
 * The recent changes of one resource, oldest first. Every change keeps its sequence number while older changes are
 * trimmed or added.
 */
export class History {
  #entries: Entry[] = [];
  #head = 0;
  #first = 0;
  #bytes = 0;
  #start: number;

  /** @param start the revision after which the history begins */
  constructor(start: number) {
    this.#start = start;
  }

  /** The history has every change after this revision. */
  get start(): number {
    return this.#start;
  }

  /** Sequence number of the oldest change. */
  get first(): number {
    return this.#first;
  }

  /** Sequence number that the next change will get. */
  get end(): number {
    return this.#first + this.length;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  /**
   * The memory of replaced items, in bytes. Live items do not count, because they are also in memory without the
   * history.
   */
  get bytes(): number {
    return this.#bytes;
  }

  push(change: ItemChange, second: number): ItemChange {
    const entry: Entry = { revision: change.revision, item: change.item, previous: change.previous, second };
    this.#entries.push(entry);
    this.#bytes += weight(entry);
    return entry;
  }

  /**
   * Puts an older history before this one. This history must start at the end of the older one and must not have been
   * trimmed.
   */
  prepend(past: History): void {
    this.#entries = [...past.#entries.slice(past.#head), ...this.#entries.slice(this.#head)];
    this.#head = 0;
    this.#first -= past.length;
    this.#bytes += past.#bytes;
    this.#start = past.#start;
  }

  /** The change with a sequence number between `first` and `end`. */
  at(sequence: number): ItemChange | undefined {
    return this.#entries[this.#head + sequence - this.#first];
  }

  /** Sequence number of the first change after a revision. */
  after(revision: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#first + low - this.#head;
  }

  /** Drops the oldest changes until the history has at most this number of bytes. */
  trimToBytes(bytes: number): void {
    while (this.#bytes > bytes && this.length > 0) this.#shift();
    this.#compact();
  }

  /** Drops the changes seen before that second. */
  trimToSecond(second: number): void {
    while (this.length > 0 && this.#entries[this.#head]!.second < second) this.#shift();
    this.#compact();
  }

  /** Drops everything up to `start`. */
  restart(start: number): void {
    while (this.length > 0) this.#shift();
    this.#compact();
    this.#start = start;
  }

  #shift(): void {
    const entry = this.#entries[this.#head]!;
    // The list is moved only from time to time, so a trimmed change must not keep its items until then.
    this.#entries[this.#head] = TRIMMED;
    this.#head++;
    this.#first++;
    this.#bytes -= weight(entry);
    this.#start = entry.revision;
  }

  #compact(): void {
    if (this.#head === 0) return;
    if (this.#head === this.#entries.length) this.#entries = [];
    else if (this.#head >= this.#entries.length >> 1) this.#entries = this.#entries.slice(this.#head);
    else return;
    this.#head = 0;
  }
}

const TRIMMED: Entry = { revision: 0, item: undefined, previous: undefined, second: 0 };

function weight(change: ItemChange): number {
  return CHANGE_BYTES + (change.previous === undefined ? 0 : ownBytes(change.previous) + ITEM_BYTES);
}

/** Trims the largest histories first, so that one busy resource does not shorten the histories of all others. */
export function trimHistories(histories: readonly History[], bytes: number): void {
  let total = 0;
  for (const history of histories) total += history.bytes;
  if (total <= bytes) return;
  // The limit is a little lower, so that this is not repeated at every change.
  const target = bytes - bytes / 16;
  const sorted = [...histories].sort((a, b) => b.bytes - a.bytes);
  let level = 0;
  let above = 0;
  for (let i = 0; i < sorted.length; i++) {
    // The total if the i + 1 largest are cut to the size of the next one.
    above += sorted[i]!.bytes;
    const rest = total - above;
    level = Math.max(0, (target - rest) / (i + 1));
    if (level >= (sorted[i + 1]?.bytes ?? 0)) break;
  }
  for (const history of sorted) {
    if (history.bytes <= level) break;
    history.trimToBytes(level);
  }
}
