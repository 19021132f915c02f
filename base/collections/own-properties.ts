/**
 * A table to look things up by names that come from outside. It inherits nothing, so that `constructor` and
 * `__proto__` are found in it only when they are in it.
 */
export function table<T>(rows: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, rows);
}

/** {@link table} of pairs; later ones win. */
export function tableOf<T>(pairs: Iterable<readonly [name: string, value: T]>): Record<string, T> {
  const rows = table<T>();
  for (const [name, value] of pairs) rows[name] = value;
  return rows;
}

/**
 * An object's own value under a name from outside; undefined if it has none, or if the object is undefined.
 *
 * @example own<unknown>({ a: 1 }, 'toString') // => undefined
 */
export function own<T>(object: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return object !== undefined && object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
}
