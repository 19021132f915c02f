type TextRecord = Readonly<Record<string, string>>;

/** Keeps one copy of strings and label sets that many objects share. If there are too many, all of them are dropped. */
export class Interner {
  readonly #limit: number;
  readonly #strings = new Map<string, string>();
  readonly #records = new Map<string, TextRecord>();

  /** @param limit how many strings, and how many records, are remembered; with 0 it shares nothing */
  constructor(limit = 8192) {
    this.#limit = limit;
  }

  string(text: string): string {
    if (this.#limit === 0) return text;
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    if (this.#strings.size >= this.#limit) this.#strings.clear();
    this.#strings.set(text, text);
    return text;
  }

  /** A record equal to `record`, in the same order. */
  record(record: TextRecord): TextRecord {
    if (this.#limit === 0) return record;
    const text = JSON.stringify(record);
    const known = this.#records.get(text);
    if (known !== undefined) return known;
    if (this.#records.size >= this.#limit) this.#records.clear();
    const entries = Object.entries(record).map(([key, value]) => [this.string(key), this.string(value)]);
    const interned = Object.fromEntries(entries) as TextRecord;
    this.#records.set(text, interned);
    return interned;
  }
}

/** Whether two records have the same entries. */
export function sameRecord(a: TextRecord, b: TextRecord): boolean {
  let left = 0;
  for (const key in a) {
    if (a[key] !== b[key]) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}
