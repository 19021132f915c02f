import type { JsonObject, JsonValue } from '#base/json/json-value.ts';

/** The value of an object's own member; undefined when it has none (inherited names such as `constructor` are none). */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
