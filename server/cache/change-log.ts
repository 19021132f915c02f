import type { History } from './history.ts';
import type { ItemChange } from './item.ts';
import { matchesChange, matchesEverything, type WatchPredicate } from './watch-predicate.ts';

/**
 * The changes of a history that match one predicate. All subscribers with this predicate share the log. Unless the
 * predicate matches everything, the log has a separate index. So subscribers never read changes that do not match.
 */
export class ChangeLog {
  readonly #history: History;
  readonly #predicate: WatchPredicate;
  readonly #everything: boolean;
  /** Sequence numbers of the matching changes, starting at `#from`. Unused if the predicate matches everything. */
  #index: number[] = [];
  #head = 0;
  /** The index is complete since this sequence number. */
  #from: number;
  /** The newest matching change that was trimmed. */
  #lost = Number.NEGATIVE_INFINITY;

  constructor(history: History, predicate: WatchPredicate) {
    this.#history = history;
    this.#predicate = predicate;
    this.#everything = matchesEverything(predicate);
    this.#from = history.end;
  }

  /** Adds the changes since `sequence` to the index. */
  extendTo(sequence: number): void {
    if (this.#everything || sequence >= this.#from) return;
    const found: number[] = [];
    for (let at = Math.max(sequence, this.#history.first); at < this.#from; at++) {
      if (matchesChange(this.#predicate, this.#history.at(at)!)) found.push(at);
    }
    this.#index = [...found, ...this.#index.slice(this.#head)];
    this.#head = 0;
    this.#from = sequence;
  }

  /** Records that the history has a new matching change with this sequence number. */
  add(sequence: number): void {
    if (!this.#everything) this.#index.push(sequence);
  }

  /** Whether the history still has all matching changes since `sequence`. */
  covers(sequence: number): boolean {
    if (this.#everything) return sequence >= this.#history.first;
    this.#trim();
    return sequence > this.#lost;
  }

  /** Sequence number of the first matching change at or after `sequence`; undefined if there is none. */
  next(sequence: number): number | undefined {
    if (this.#everything) return sequence < this.#history.end ? sequence : undefined;
    return this.#index[this.#position(sequence)];
  }

  /** At most `max` matching changes since `sequence`, and the sequence number after them. */
  take(sequence: number, max: number): { changes: ItemChange[]; end: number } {
    const changes: ItemChange[] = [];
    if (this.#everything) {
      const end = Math.min(this.#history.end, sequence + max);
      for (let at = sequence; at < end; at++) changes.push(this.#history.at(at)!);
      return { changes, end };
    }
    let end = sequence;
    for (let at = this.#position(sequence); at < this.#index.length && changes.length < max; at++) {
      end = this.#index[at]! + 1;
      changes.push(this.#history.at(end - 1)!);
    }
    return { changes, end };
  }

  #position(sequence: number): number {
    let low = this.#head;
    let high = this.#index.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#index[middle]! < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trim(): void {
    const first = this.#history.first;
    while (this.#head < this.#index.length && this.#index[this.#head]! < first) this.#lost = this.#index[this.#head++]!;
    if (this.#head > 0 && this.#head >= this.#index.length >> 1) {
      this.#index = this.#index.slice(this.#head);
      this.#head = 0;
    }
  }
}
