import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { fairTurn } from '#base/time/fair-turn.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import { packMaps } from './document-forms.ts';
import type { Entry, Maps } from './document-parts.ts';
import { type Packed, pack, packedHash, unpack } from './pack.ts';

const DEFINITIONS = '#/definitions/';
const PARAMETERS = '#/parameters/';

/** Members that may differ in equal schemas: descriptions, and the kinds that use the schema. */
function isIrrelevant(key: string): boolean {
  return key === 'description' || (key.startsWith('x-') && key.endsWith('-group-version-kind'));
}

/** Maps whose keys are chosen by an author. A `description` in them is a property and not a text. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'definitions', 'paths']);

/** The largest number of characters that paths may use for copies of shared parameters. */
const MAX_COPIED = 8 << 20;

/** Definitions that already have their names. Others may share their schemas. */
export type UsedNames = Map<string, Entry[1] | undefined>;

function objectIn(value: unknown, key: string): JsonObject {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

/** A copy in which each pointer is replaced by the result of the function for it. */
function withReferences(value: JsonValue, replaced: (pointer: string) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withReferences(one, replaced));
  if (!isObject(value)) return value;
  if (typeof value['$ref'] === 'string') return replaced(value['$ref']);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withReferences(one, replaced)]));
}

/** The name of a definition before it got another one. */
function originalName(name: string): string {
  return name.replace(/_v[0-9]{1,9}$/, '');
}

/**
 * The part of a schema that matters in a comparison with another schema. The names of definitions to which it refers
 * are added to `pointers`.
 */
function essence(value: JsonValue, pointers: string[], named = false): JsonValue {
  if (Array.isArray(value)) return value.map((one) => essence(one, pointers));
  if (!isObject(value)) return value;
  if (!named && typeof value['$ref'] === 'string') {
    const name = value['$ref'].slice(DEFINITIONS.length);
    pointers.push(name);
    return { $ref: originalName(name) };
  }
  const kept = Object.keys(value).filter((key) => named || !isIrrelevant(key));
  return Object.fromEntries(
    kept.sort().map((key) => [key, essence(value[key]!, pointers, !named && NAMED.has(key))] as const),
  );
}

/** Another definition that is equal, provided that the definitions in each pair of references are equal. */
interface Match {
  readonly name: string;
  readonly pairs: readonly (readonly [own: string, its: string])[];
}

async function matchOf(name: string, schema: JsonValue, used: UsedNames): Promise<Match | undefined> {
  for (let [there, number] = [name, 2]; used.has(there); there = `${name}_v${number++}`) {
    const other = await used.get(there)?.();
    if (other === undefined) continue;
    const [own, its]: [string[], string[]] = [[], []];
    if (!isDeepStrictEqual(essence(schema, own), essence(other, its))) continue;
    return { name: there, pairs: own.map((one, i) => [one, its[i]!] as const) };
  }
  return undefined;
}

/** The text of an object of objects, with one piece for each of the inner members. */
function* textOf(maps: Readonly<Record<string, readonly (readonly [string, JsonValue])[]>>): Iterable<string> {
  let before = '{';
  for (const [name, members] of Object.entries(maps)) {
    yield `${before}${JSON.stringify(name)}:{`;
    before = '},';
    for (const [i, [key, value]] of members.entries())
      yield `${i === 0 ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  yield '}}';
}

/** One group version in the OpenAPI 2.0 document of another server. It is kept compressed. */
export class ForeignDocument {
  /** `apis/GROUP/VERSION`. */
  readonly key: string;
  /** The names of its definitions. */
  readonly names: readonly string[];
  readonly hash: string;
  readonly #text: Packed;

  private constructor(key: string, names: readonly string[], text: Packed) {
    this.key = key;
    this.names = names;
    this.hash = packedHash(text);
    this.#text = text;
  }

  /**
   * Takes the paths of a group version, and the definitions that they need, from a whole document. Undefined if there
   * are none. Rejects if the document is malformed.
   */
  static async read(key: string, document: Buffer): Promise<ForeignDocument | undefined> {
    // A turn of the event loop that parses a large text does no other work.
    await fairTurn();
    const value: unknown = JSON.parse(document.toString());
    // Parsing a large text has used up this turn of the event loop.
    await fairTurn();
    const known = { definitions: objectIn(value, 'definitions'), parameters: objectIn(value, 'parameters') };
    const needed = new Set<string>();
    const lengths = new Map<string, number>();
    let copied = 0;
    const shared = (pointer: string): JsonObject => {
      const parameter = objectIn(known.parameters, pointer.slice(PARAMETERS.length));
      const length = lengths.get(pointer) ?? JSON.stringify(parameter).length;
      lengths.set(pointer, length);
      if ((copied += length) > MAX_COPIED) throw new Error('the paths share too much');
      return parameter;
    };
    const visit = (of: JsonValue, inParameter = false): JsonValue =>
      withReferences(of, (pointer) => {
        // Parameters that paths share are few, and refer to no others, so each path gets a copy.
        if (pointer.startsWith(PARAMETERS)) {
          return inParameter ? {} : visit(shared(pointer), true);
        }
        needed.add(pointer.slice(DEFINITIONS.length));
        return { $ref: pointer };
      });
    const own = Object.entries(objectIn(value, 'paths')).filter(
      ([path, item]) => (path === `/${key}` || path.startsWith(`/${key}/`)) && isObject(item),
    );
    if (own.length === 0) return undefined;
    const slice = new TimeSlice();
    const paths: [string, JsonValue][] = [];
    for (const [path, item] of own) {
      paths.push([path, visit(item)]);
      if (slice.over) await slice.yield();
    }
    const definitions: [string, JsonValue][] = [];
    // The set grows during the loop.
    for (const name of needed) {
      definitions.push([name, visit(objectIn(known.definitions, name))]);
      if (slice.over) await slice.yield();
    }
    const entries = (of: Iterable<readonly [string, JsonValue]>) =>
      [...of].map(([name, schema]): Entry => [name, () => schema as JsonObject]);
    // A document that cannot be written in both forms is not used.
    await packMaps('v2', 'protobuf', { paths: entries(paths), definitions: entries(definitions) });
    return new ForeignDocument(key, [...needed], await pack(textOf({ paths, definitions })));
  }

  /**
   * Adds the entries of both maps to the existing ones. Equal entries are shared, and entries with the name of a
   * different one get another name. From then on these names are in use.
   */
  async maps(used: UsedNames): Promise<Maps> {
    const value: unknown = JSON.parse((await unpack(this.#text.gzip)).toString());
    const definitions = new Map(Object.entries(objectIn(value, 'definitions')));
    const matches = await matchesOf(definitions, used);
    const names = new Map<string, string>();
    for (const name of this.names) {
      const match = matches.get(name);
      let own = name;
      for (let number = 2; match === undefined && (used.has(own) || (own !== name && definitions.has(own))); number++)
        own = `${name}_v${number}`;
      names.set(name, match?.name ?? own);
    }
    const renamed = (of: JsonValue): JsonObject =>
      withReferences(of, (pointer) => {
        const name = pointer.slice(DEFINITIONS.length);
        return { $ref: DEFINITIONS + (names.get(name) ?? name) };
      }) as JsonObject;
    const own: Entry[] = [...definitions]
      .filter(([name]) => !matches.has(name))
      .map(([name, schema]) => [names.get(name) ?? name, () => renamed(schema)]);
    for (const [name, make] of own) used.set(name, make);
    const paths: Entry[] = Object.entries(objectIn(value, 'paths')).map(([path, item]) => [path, () => renamed(item)]);
    return { paths: paths.sort(byName), definitions: own.sort(byName) };
  }
}

function byName([a]: Entry, [b]: Entry): number {
  return a < b ? -1 : 1;
}

/** Names under which an equal definition already exists, with everything to which it refers. */
async function matchesOf(definitions: ReadonlyMap<string, JsonValue>, used: UsedNames): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  const slice = new TimeSlice();
  for (const [name, schema] of definitions) {
    const match = await matchOf(name, schema, used);
    if (match !== undefined) matches.set(name, match);
    if (slice.over) await slice.yield();
  }
  for (let before = -1; before !== matches.size; ) {
    before = matches.size;
    for (const [name, { pairs }] of matches) {
      if (pairs.some(([own, its]) => matches.get(own)?.name !== its)) matches.delete(name);
    }
  }
  return matches;
}
