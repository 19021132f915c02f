import { orderOf } from './order.ts';
import type { Row } from './row.ts';

/** The sort key of a table: a column by its index, the name, the namespace or the age. */
export type SortKey = number | 'name' | 'namespace' | 'age';

/** The view of a tab on a table. */
export interface Look {
  /** A row is shown if it contains each of these words, in upper or lower case. */
  readonly filter: string;
  readonly sort: SortKey;
  readonly descending: boolean;
  /** The first row of the window, and how many rows it has. */
  readonly from: number;
  readonly count: number;
}

export const FIRST_LOOK: Look = { filter: '', sort: 'name', descending: false, from: 0, count: 100 };

/** If more than this share of the rows has changed, all rows are sorted again. Otherwise single rows are moved. */
const MANY = 0.05;

/** The sort key of rows: a number, or a text whose numbers have their full width. */
type Key = string | number;

/**
 * The rows that match a filter, in order. All rows are also kept in order, so that another filter needs only one pass.
 * Both lists follow changes row by row, so that a table of 50,000 rows costs no more than its changes.
 */
export class TableView {
  #look: Look = FIRST_LOOK;
  #words: readonly string[] = [];
  /** All rows, and those that match, in order. */
  #all: Row[] = [];
  #matching: Row[] = [];
  readonly #byUid = new Map<string, Row>();
  /** The sort key of each row, in the present order. */
  #keys = new WeakMap<Row, Key>();

  get matching(): number {
    return this.#matching.length;
  }

  /** The first row of the window: at most the last row. */
  get from(): number {
    return Math.max(0, Math.min(this.#look.from, this.#matching.length - 1));
  }

  /** The rows of the window. */
  get window(): readonly Row[] {
    return this.#matching.slice(this.from, this.from + this.#look.count);
  }

  /** Looks in another way. */
  show(look: Look): void {
    const before = this.#look;
    this.#look = look;
    this.#words = look.filter.toLowerCase().split(/\s+/).filter(Boolean);
    if (look.sort !== before.sort || look.descending !== before.descending) this.#sort();
    else if (look.filter !== before.filter) this.#filter();
  }

  /** Begins again with all rows of the table. */
  replace(rows: ReadonlyMap<string, Row>): void {
    this.#byUid.clear();
    for (const row of rows.values()) this.#byUid.set(row.uid, row);
    this.#sort();
  }

  /** Applies changes: rows by their uid, undefined for a row that was removed. */
  change(changes: ReadonlyMap<string, Row | undefined>): void {
    const isMany = changes.size > 16 && changes.size > this.#all.length * MANY;
    for (const [uid, row] of changes) {
      const old = this.#byUid.get(uid);
      if (row === undefined) this.#byUid.delete(uid);
      else this.#byUid.set(uid, row);
      if (isMany) continue;
      if (old !== undefined) {
        this.#all.splice(this.#placeOf(old, this.#all), 1);
        if (this.#matches(old)) this.#matching.splice(this.#placeOf(old, this.#matching), 1);
      }
      if (row !== undefined) {
        this.#all.splice(this.#placeOf(row, this.#all), 0, row);
        if (this.#matches(row)) this.#matching.splice(this.#placeOf(row, this.#matching), 0, row);
      }
    }
    if (isMany) this.#sort();
  }

  #matches(row: Row): boolean {
    return this.#words.every((word) => row.text.includes(word));
  }

  #sort(): void {
    this.#keys = new WeakMap();
    this.#all = [...this.#byUid.values()].sort(this.#compare);
    this.#filter();
  }

  #filter(): void {
    this.#matching = this.#words.length === 0 ? [...this.#all] : this.#all.filter((row) => this.#matches(row));
  }

  /** The index of a row in an ordered list, or the index that it would have. No two rows are equal. */
  #placeOf(row: Row, list: readonly Row[]): number {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(list[middle]!, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  readonly #compare = (a: Row, b: Row): number => {
    const order = compareKeys(this.#keyOf(a), this.#keyOf(b));
    return (this.#look.descending ? -order : order) || compareNames(a, b);
  };

  #keyOf(row: Row): Key {
    let key = this.#keys.get(row);
    if (key === undefined) this.#keys.set(row, (key = keyBy(this.#look.sort, row)));
    return key;
  }
}

function keyBy(sort: SortKey, row: Row): Key {
  if (sort === 'name') return row.order;
  if (sort === 'namespace') return row.namespace;
  // The youngest object comes first, because it has the smallest age.
  if (sort === 'age') return -row.created;
  const cell = row.cells[sort] ?? null;
  return typeof cell === 'number' ? cell : orderOf(cell ?? LAST);
}

/** The sort key of cells without a value. */
const LAST = '\uffff';

/** Compares keys; numbers come before texts. */
function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareNames(a: Row, b: Row): number {
  return compareKeys(a.order, b.order) || compareKeys(a.namespace, b.namespace) || compareKeys(a.uid, b.uid);
}
