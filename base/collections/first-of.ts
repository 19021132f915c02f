/**
 * The first items of a sequence, at most this number. It does not ask the sequence for further items.
 *
 * @example firstOf(new Set(['a', 'b', 'c']), 2) // => ['a', 'b']
 */
export function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const found: T[] = [];
  if (most <= 0) return found;
  for (const item of items) {
    found.push(item);
    if (found.length >= most) break;
  }
  return found;
}
