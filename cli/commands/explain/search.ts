import type { Schema, Schemas } from '#client/open-api/schemas.ts';
import { wrapped } from './text.ts';

/** A kind whose fields are searched, and the word that names it on a command line. */
export interface Searched {
  readonly word: string;
  readonly schema: Schema;
}

/** A field that was found. */
interface Found {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  /** The quality of the match of name and path. Lower is better. */
  readonly rank: number;
}

/** The largest depth of a search. Deeper fields belong to other kinds, which are searched themselves. */
const MAX_DEPTH = 9;
const MAX_SHOWN = 50;

/**
 * The fields whose names or descriptions contain all `words`, the best match first. Each field of a type occurs once,
 * with its shortest path.
 */
export function searchText(schemas: Schemas, kinds: readonly Searched[], words: readonly string[]): string {
  const found = new Map<Schema, Found>();
  for (const { word, schema } of kinds) search(schemas, schema, word, words, found);
  const sorted = [...found.values()].sort(
    (a, b) => a.rank - b.rank || depthOf(a) - depthOf(b) || (a.path < b.path ? -1 : 1),
  );
  const lines = sorted
    .slice(0, MAX_SHOWN)
    .flatMap(({ path, type, text }) => [`${path} <${type}>`, ...wrapped(text, 76).map((line) => `    ${line}`), '']);
  if (sorted.length > MAX_SHOWN) lines.push(`${sorted.length - MAX_SHOWN} more fields; more words find fewer.`);
  return `${lines.join('\n').trimEnd()}\n`;
}

function depthOf({ path }: Found): number {
  return path.split('.').length;
}

/** Searches breadth first, so the first path to a field is its shortest. */
function search(
  schemas: Schemas,
  root: Schema,
  word: string,
  words: readonly string[],
  found: Map<Schema, Found>,
): void {
  let level = [{ schema: root, path: word }];
  const seen = new Set<Schema>();
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { schema, path } of level) {
      const { properties = {} } = schemas.inner(schema);
      if (seen.has(properties as Schema)) continue;
      seen.add(properties as Schema);
      for (const [name, field] of Object.entries(properties)) {
        const at = `${path}.${name}`;
        const { description = '' } = schemas.resolve(field);
        const rank = rankOf(name, description, words);
        const known = found.get(field);
        if (rank !== undefined && (known === undefined || depthOf(known) > at.split('.').length))
          found.set(field, { path: at, type: schemas.typeName(field), text: description, rank });
        next.push({ schema: field, path: at });
      }
    }
    level = next;
  }
}

/**
 * The rank of a match. 0 means that the name equals the words. 1 means that the name contains them. 2 means that name
 * and description together contain them. Undefined means no match.
 */
function rankOf(name: string, description: string, words: readonly string[]): number | undefined {
  const lower = name.toLowerCase();
  if (lower === words.join('')) return 0;
  if (words.every((word) => lower.includes(word))) return 1;
  const text = `${lower} ${description.toLowerCase()}`;
  return words.every((word) => text.includes(word)) ? 2 : undefined;
}
