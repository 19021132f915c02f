import type { JsonObject, JsonValue } from '#base/json/json-value.ts';

/**
 * The value of an object's own member; undefined if it has none. Inherited names such as `constructor` do not count.
 */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
