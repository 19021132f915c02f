import type { Steps } from '../time/steps.ts';
import { sortShort } from './sort-short.ts';

/** How many items are sorted, or merged, between two pauses. */
const PIECE = 2_048;

/**
 * Sorts with pauses. The sort is stable and has the same result as `Array.prototype.sort`.
 *
 * @param items may be sorted in place or copied, so use the result
 * @example
 * ```ts
 * atOnce(sortInSteps([3, 1, 2], (a, b) => a - b)); // [1, 2, 3]
 * ```
 */
export function* sortInSteps<T>(items: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (items.length <= PIECE) return sortShort(items, compare);
  let sorted: T[][] = [];
  for (let start = 0; start < items.length; start += PIECE) {
    sorted.push(items.slice(start, start + PIECE).sort(compare));
    yield;
  }
  while (sorted.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < sorted.length; i += 2) {
      const [left, right] = [sorted[i]!, sorted[i + 1]];
      merged.push(right === undefined ? left : yield* merging(left, right, compare));
    }
    sorted = merged;
  }
  return sorted[0]!;
}

function* merging<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const takesLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    merged.push(takesLeft ? left[l++]! : right[r++]!);
    if (merged.length % PIECE === 0) yield;
  }
  return merged;
}
