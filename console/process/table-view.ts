import type { Cell, Row } from './row.ts';

/** By what a table is sorted: a column by its place, the name, the namespace or the age. */
export type SortKey = number | 'name' | 'namespace' | 'age';

/** How a tab looks at a table. */
export interface Look {
  /** A row is shown where it has each of these words, whatever the case of its letters. */
  readonly filter: string;
  readonly sort: SortKey;
  readonly descending: boolean;
  /** The first row of the window, and how many rows it has. */
  readonly from: number;
  readonly count: number;
}

export const FIRST_LOOK: Look = { filter: '', sort: 'name', descending: false, from: 0, count: 100 };

/** Above this share of changed rows the whole is sorted again, instead of moving rows one by one. */
const MANY = 0.05;

const texts = new Intl.Collator('en', { numeric: true });

/**
 * The rows that a filter lets through, in order. It follows changes row by row, so that a table of 50,000 rows costs
 * nothing but its changes.
 */
export class TableView {
  #look: Look = FIRST_LOOK;
  #words: readonly string[] = [];
  #compare = comparison(FIRST_LOOK);
  #sorted: Row[] = [];
  readonly #shown = new Map<string, Row>();

  get matching(): number {
    return this.#sorted.length;
  }

  /** The rows of the window. */
  get window(): readonly Row[] {
    const from = Math.max(0, Math.min(this.#look.from, this.#sorted.length - 1));
    return this.#sorted.slice(from, from + this.#look.count);
  }

  /** Where the window begins: not behind the last row. */
  get from(): number {
    return Math.max(0, Math.min(this.#look.from, this.#sorted.length - 1));
  }

  /** Looks in another way. `rows` are all of the table. */
  show(look: Look, rows: ReadonlyMap<string, Row>): void {
    const before = this.#look;
    this.#look = look;
    if (look.filter === before.filter && look.sort === before.sort && look.descending === before.descending) return;
    this.#words = look.filter.toLowerCase().split(/\s+/).filter(Boolean);
    this.#compare = comparison(look);
    this.replace(rows);
  }

  /** Begins again with all rows of the table. */
  replace(rows: ReadonlyMap<string, Row>): void {
    this.#shown.clear();
    for (const row of rows.values()) if (this.#matches(row)) this.#shown.set(row.uid, row);
    this.#sort();
  }

  /** Follows changes: rows by their uid, undefined where one has gone. */
  change(changes: ReadonlyMap<string, Row | undefined>): void {
    const isMany = changes.size > 16 && changes.size > this.#sorted.length * MANY;
    for (const [uid, row] of changes) {
      const old = this.#shown.get(uid);
      const next = row !== undefined && this.#matches(row) ? row : undefined;
      if (old === undefined && next === undefined) continue;
      if (next === undefined) this.#shown.delete(uid);
      else this.#shown.set(uid, next);
      if (isMany) continue;
      if (old !== undefined) this.#sorted.splice(this.#placeOf(old), 1);
      if (next !== undefined) this.#sorted.splice(this.#placeOf(next), 0, next);
    }
    if (isMany) this.#sort();
  }

  #matches(row: Row): boolean {
    return this.#words.every((word) => row.text.includes(word));
  }

  #sort(): void {
    this.#sorted = [...this.#shown.values()].sort(this.#compare);
  }

  /** The place of a row, or the one that it would have. No two rows are equal. */
  #placeOf(row: Row): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#sorted[middle]!, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function comparison({ sort, descending }: Look): (a: Row, b: Row) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => sign * compareBy(sort, a, b) || compareNames(a, b);
}

function compareBy(sort: SortKey, a: Row, b: Row): number {
  if (sort === 'name') return texts.compare(a.name, b.name);
  if (sort === 'namespace') return texts.compare(a.namespace, b.namespace);
  // the youngest first, as the smallest age
  if (sort === 'age') return b.created - a.created;
  return compareCells(a.cells[sort] ?? null, b.cells[sort] ?? null);
}

function compareCells(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : texts.compare(String(a), String(b));
}

function compareNames(a: Row, b: Row): number {
  return (
    texts.compare(a.namespace, b.namespace) ||
    texts.compare(a.name, b.name) ||
    (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0)
  );
}
