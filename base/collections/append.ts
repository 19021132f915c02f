/**
 * Adds the items of lists to the end of an array. Use it instead of `into.push(...list)` for a list whose length a
 * client chooses: the engine passes spread items as arguments, and throws a RangeError beyond about 100,000 of them.
 *
 * @example append(errors, validateLabels(labels), validateName(name))
 */
export function append<T>(into: T[], ...lists: readonly Iterable<T>[]): void {
  for (const list of lists) for (const item of list) into.push(item);
}
