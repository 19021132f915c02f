/**
 * A table for names that come from clients. It inherits nothing, so `constructor` and `__proto__` are found only if
 * they are entries.
 */
export function table<T>(rows: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, rows);
}

/** A {@link table} of pairs. If a name occurs twice, the later value is used. */
export function tableOf<T>(pairs: Iterable<readonly [name: string, value: T]>): Record<string, T> {
  const rows = table<T>();
  for (const [name, value] of pairs) rows[name] = value;
  return rows;
}

/**
 * An object's own value under a name that comes from a client. Undefined if there is none, or if the object is
 * undefined.
 *
 * @example own<unknown>({ a: 1 }, 'toString') // => undefined
 */
export function own<T>(object: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return object !== undefined && object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
}
