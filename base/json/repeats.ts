import type { JsonObject, JsonValue } from './json-value.ts';

/** The objects of a parsed text that have repeated keys, with all of their members in the order of the text. */
export type Repeats = ReadonlyMap<JsonObject, readonly (readonly [key: string, value: JsonValue])[]>;

/** All members of an object, including those that a later member with the same key replaces. */
export function membersOf(object: JsonObject, repeats: Repeats): Iterable<readonly [key: string, value: JsonValue]> {
  return repeats.get(object) ?? Object.entries(object);
}
