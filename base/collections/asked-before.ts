/**
 * Returns a function that says for each value whether it was already called with the same value. With it, finding
 * repeated values in a list takes one step for each item.
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
