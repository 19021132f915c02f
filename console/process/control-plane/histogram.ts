/** The number of measurements up to each bound, as in histograms of metrics. */
export type Buckets = ReadonlyMap<number, number>;

/** The counts between two readings; all counts of the second reading if there is no first. No count is below zero. */
export function since(before: Buckets | undefined, after: Buckets): Buckets {
  if (before === undefined) return after;
  return new Map([...after].map(([bound, count]) => [bound, Math.max(0, count - (before.get(bound) ?? 0))]));
}

/** The sum of the counts of several processes. */
export function together(all: readonly Buckets[]): Buckets {
  const sum = new Map<number, number>();
  for (const buckets of all) for (const [bound, count] of buckets) sum.set(bound, (sum.get(bound) ?? 0) + count);
  return sum;
}

export function countIn(buckets: Buckets): number {
  return buckets.get(Number.POSITIVE_INFINITY) ?? 0;
}

/** The highest finite bound; 0 if there is none. */
export function highestBound(buckets: Buckets): number {
  return Math.max(0, ...[...buckets.keys()].filter(Number.isFinite));
}

/**
 * The value below which a share of the measurements lies. Within a bucket, measurements are assumed to be spread
 * evenly, as in the field's collectors. Measurements above the highest finite bound count as that bound. Null if
 * nothing was measured.
 *
 * @param share between 0 and 1
 * @example quantile(new Map([[1, 5], [2, 10], [Infinity, 10]]), 0.75) // => 1.5
 */
export function quantile(buckets: Buckets, share: number): number | null {
  const total = countIn(buckets);
  if (total === 0) return null;
  const rank = share * total;
  let [below, counted] = [0, 0];
  for (const [bound, count] of [...buckets].sort(([a], [b]) => a - b)) {
    if (count >= rank) {
      if (!Number.isFinite(bound)) return below;
      return below + ((bound - below) * (rank - counted)) / Math.max(1, count - counted);
    }
    [below, counted] = [bound, count];
  }
  return below;
}
