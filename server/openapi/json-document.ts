import type { JsonObject } from '../json/json-value.ts';
import { stringify } from '../json/stringify.ts';
import type { DocumentParts, Entry } from './document-parts.ts';

/** The JSON text of a document of OpenAPI 3.0, piece by piece. */
export function* jsonPieces(parts: DocumentParts): Generator<string> {
  yield `{${jsonMembers(parts.head)},"paths":{`;
  yield* jsonEntries(parts.paths);
  yield '},"components":{';
  if (parts.definitions.length > 0) {
    yield '"schemas":{';
    yield* jsonEntries(parts.definitions);
    yield Object.keys(parts.tail).length > 0 ? '},' : '}';
  }
  yield `${jsonMembers(parts.tail)}}}`;
}

/** The text of an object without its braces. */
export function jsonMembers(object: JsonObject): string {
  return stringify(object).slice(1, -1);
}

/** The text of a map without its braces, entry by entry. */
export function* jsonEntries(entries: readonly Entry[]): Generator<string> {
  let before = '';
  for (const [name, make] of entries) {
    yield `${before}${JSON.stringify(name)}:${stringify(make())}`;
    before = ',';
  }
}
