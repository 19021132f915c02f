import type { Operation, Seen } from './checker/history.ts';

/** The shared records of all clients, and versions that they exchange for comparisons and exact reads. */
export class Journal {
  readonly operations: Operation[] = [];
  /** The number of times that each event happened. It proves that the run tried what it should try. */
  readonly counts = new Map<string, number>();
  /** Answers with the error that an encrypted value was not opened. */
  readonly notOpened: string[] = [];
  readonly #versions = new Map<string, readonly [last: number, before: number]>();
  readonly #recent: number[] = [];
  #id = 0;

  record(operation: Operation): void {
    this.operations.push(operation);
  }

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  /** An id that no other write has. */
  nextId(): string {
    return `w${++this.#id}`;
  }

  /** Records that a client saw an object. Undefined means that the object was absent. */
  saw(key: string, seen: Seen | undefined): void {
    if (seen === undefined) {
      this.#versions.delete(key);
      return;
    }
    const [last = seen.revision] = this.#versions.get(key) ?? [];
    if (last !== seen.revision || !this.#versions.has(key)) this.#versions.set(key, [seen.revision, last]);
    this.#recent.push(seen.revision);
    if (this.#recent.length > 2000) this.#recent.splice(0, 1000);
  }

  /** The version that a client saw last, or the version before it. */
  versionOf(key: string, before: boolean): number | undefined {
    return this.#versions.get(key)?.[before ? 1 : 0];
  }

  /** The versions that clients saw recently, oldest first. */
  get recent(): readonly number[] {
    return this.#recent;
  }
}
