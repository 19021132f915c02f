import { JsonNumber } from './json-value.ts';
import { setKey } from './set-key.ts';

/**
 * A deep copy of a JSON value. Numbers kept as text stay so, which the engine's own clone would not do. A part that
 * occurs twice in the value occurs twice in the copy.
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
  // biome-ignore lint/plugin: a copy is as the original, and is only written to by `setKey`
  const copy: Record<string, unknown> = {};
  copies.set(value, copy);
  for (const key of Object.keys(value)) setKey(copy, key, copyOf((value as Record<string, unknown>)[key], copies));
  return copy;
}
