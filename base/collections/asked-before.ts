/**
 * A question that tells for each value whether it was asked about the same value before. Finding repeats in a list with
 * it takes one step for each item.
 *
 * @example ['a', 'b', 'a'].map(askedBefore()) // => [false, false, true]
 */
export function askedBefore<T>(): (value: T) => boolean {
  const seen = new Set<T>();
  return (value) => {
    if (seen.has(value)) return true;
    seen.add(value);
    return false;
  };
}
