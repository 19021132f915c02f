import type { JsonObject, JsonValue } from './json-value.ts';

/** Objects of a parsed text that give a key more than once, with all of their members in the order of the text. */
export type Repeats = ReadonlyMap<JsonObject, readonly (readonly [key: string, value: JsonValue])[]>;

/** All members of an object, also the ones that later ones of the same key replace. */
export function membersOf(object: JsonObject, repeats: Repeats): Iterable<readonly [key: string, value: JsonValue]> {
  return repeats.get(object) ?? Object.entries(object);
}
