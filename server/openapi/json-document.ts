import type { JsonObject } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Entry } from './document-parts.ts';

/** The text of an object without its braces. */
export function jsonMembers(object: JsonObject): string {
  return stringify(object).slice(1, -1);
}

/** The text of a map without its braces, entry by entry. */
export async function* jsonEntries(entries: readonly Entry[]): AsyncGenerator<string> {
  let before = '';
  for (const [name, make] of entries) {
    yield `${before}${JSON.stringify(name)}:${stringify(await make())}`;
    before = ',';
  }
}
