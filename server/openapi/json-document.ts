import type { JsonObject } from '../json/json-value.ts';
import { stringify } from '../json/stringify.ts';
import type { DocumentParts, Entry } from './document-parts.ts';

/** The JSON text of a document, piece by piece. */
export function* jsonPieces(parts: DocumentParts): Generator<string> {
  yield `{${members(parts.head)},"paths":`;
  yield* map(parts.paths);
  if (parts.form === 'v2') {
    yield ',"definitions":';
    yield* map(parts.definitions);
    yield `,${members(parts.tail)}}`;
    return;
  }
  yield ',"components":{';
  if (parts.definitions.length > 0) {
    yield '"schemas":';
    yield* map(parts.definitions);
    if (Object.keys(parts.tail).length > 0) yield ',';
  }
  yield `${members(parts.tail)}}}`;
}

function members(object: JsonObject): string {
  return stringify(object).slice(1, -1);
}

function* map(entries: readonly Entry[]): Generator<string> {
  let before = '{';
  for (const [name, make] of entries) {
    yield `${before}${JSON.stringify(name)}:${stringify(make())}`;
    before = ',';
  }
  yield entries.length === 0 ? '{}' : '}';
}
