import { JsonNumber } from './json-value.ts';
import { setKey } from './set-key.ts';

/**
 * A deep copy of a JSON value. Numbers that are kept as text (`JsonNumber`) stay so, unlike with `structuredClone`. If
 * an object occurs at two places of the value, one copy of it occurs at both places of the result.
 */
export function cloneJson<T>(value: T): T {
  return typeof value === 'object' && value !== null ? (copyOf(value, new Map()) as T) : value;
}

function copyOf(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value) list.push(copyOf(item, copies));
    return list;
  }
  // biome-ignore lint/plugin: the copy has the type of the original, and only `setKey` writes to it
  const copy: Record<string, unknown> = {};
  copies.set(value, copy);
  for (const key of Object.keys(value)) setKey(copy, key, copyOf((value as Record<string, unknown>)[key], copies));
  return copy;
}
