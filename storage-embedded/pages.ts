import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The pages of a database. The statements are prepared once, because each group of commits reads the counts. */
export class Pages {
  readonly #db: DatabaseSync;
  readonly #all: StatementSync;
  readonly #free: StatementSync;
  readonly #pageBytes: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#all = db.prepare('PRAGMA page_count');
    this.#free = db.prepare('PRAGMA freelist_count');
    this.#pageBytes = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  }

  get all(): number {
    return Number(this.#all.get()?.['page_count']);
  }

  get free(): number {
    return Number(this.#free.get()?.['freelist_count']);
  }

  /** The size of all pages in bytes. */
  get bytes(): number {
    return this.all * this.#pageBytes;
  }

  /** The size of the pages with data in bytes. */
  get usedBytes(): number {
    return (this.all - this.free) * this.#pageBytes;
  }

  /** Gives at most this many free pages back to the disk, within the transaction of the caller. */
  giveBack(count: number): void {
    this.#db.exec(`PRAGMA incremental_vacuum(${count})`);
  }
}
