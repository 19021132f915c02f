/** An interval of completion indexes. Both ends belong to it. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/**
 * A set of completion indexes, in the form of the status of jobs: `0,2-4,7`. It keeps each interval as one entry, so
 * that jobs with very many indexes need little memory.
 */
export class Indexes {
  static readonly none = new Indexes([]);
  readonly #intervals: readonly Interval[];
  /** The number of indexes. */
  readonly size: number;

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
    this.size = intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  static of(values: Iterable<number>): Indexes {
    const sorted = [...new Set(values)].sort((a, b) => a - b);
    return new Indexes(joined(sorted.map((value) => ({ first: value, last: value }))));
  }

  /** Reads a text. Malformed parts are left out, and so are indexes from `completions` on. */
  static parse(text: string | undefined, completions: number): Indexes {
    const intervals: Interval[] = [];
    for (const part of (text ?? '').split(',')) {
      const [, low, high] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
      if (low === undefined) continue;
      const first = Number(low);
      const last = Math.min(Number(high ?? low), completions - 1);
      if (first <= last) intervals.push({ first, last });
    }
    return new Indexes(joined(intervals.sort((a, b) => a.first - b.first)));
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#intervals[middle]!.last >= index) high = middle;
      else low = middle + 1;
    }
    return low < this.#intervals.length && this.#intervals[low]!.first <= index;
  }

  with(other: Indexes): Indexes {
    if (other.size === 0) return this;
    if (this.size === 0) return other;
    return new Indexes(joined([...this.#intervals, ...other.#intervals].sort((a, b) => a.first - b.first)));
  }

  /** The number of indexes in both sets. */
  common(other: Indexes): number {
    let count = 0;
    let i = 0;
    let j = 0;
    while (i < this.#intervals.length && j < other.#intervals.length) {
      const [a, b] = [this.#intervals[i]!, other.#intervals[j]!];
      count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last <= b.last) i++;
      if (b.last <= a.last) j++;
    }
    return count;
  }

  /** The first indexes that are not in the set, at most `count` of them, all below `completions`. */
  firstMissing(count: number, completions: number): number[] {
    const found: number[] = [];
    let next = 0;
    for (const { first, last } of [...this.#intervals, { first: completions, last: completions }]) {
      for (; next < Math.min(first, completions) && found.length < count; next++) found.push(next);
      next = Math.max(next, last + 1);
    }
    return found;
  }

  /** Two neighbouring indexes are written as two numbers. */
  toString(): string {
    return this.#intervals
      .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
      .join(',');
  }
}

function joined(sorted: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const next of sorted) {
    const before = result.at(-1);
    if (before === undefined || next.first > before.last + 1) result.push(next);
    else if (next.last > before.last) result[result.length - 1] = { first: before.first, last: next.last };
  }
  return result;
}
