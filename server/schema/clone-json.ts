import { JsonNumber } from './json-value.ts';

/** A deep copy of a JSON value. Numbers kept as text stay such, which the engine's own clone would not see to. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = cloneJson((value as Record<string, unknown>)[key]);
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: field, enumerable: true, writable: true, configurable: true });
    else copy[key] = field;
  }
  return copy as T;
}
