import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { CommandError } from '../framework/errors.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';
import type { Preferences } from './preferences.ts';

/** The types of the fields of a map. They are texts, lists of texts, or lists of maps. */
interface Fields {
  readonly [name: string]: 'text' | 'texts' | Fields;
}

const OPTION: Fields = { name: 'text', default: 'text' };
const PREFERENCES: Fields = {
  apiVersion: 'text',
  kind: 'text',
  defaults: { command: 'text', options: OPTION },
  aliases: { name: 'text', command: 'text', prependArgs: 'texts', appendArgs: 'texts', options: OPTION },
  credentialPluginPolicy: 'text',
  credentialPluginAllowlist: { name: 'text', command: 'text' },
};

/** The renamed fields of each version. Each maps the name in that version to the present name. */
const VERSIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['v1beta1', new Map()],
  [
    'v1alpha1',
    new Map([
      ['overrides', 'defaults'],
      ['flags', 'options'],
    ]),
  ],
]);

interface Read {
  readonly preferences: Preferences | undefined;
  /** The errors about unknown fields of the file, in the words of strict decoding. */
  readonly unknown: readonly string[];
}

/** The raw fields of preferences, as they are in a file. */
export type PreferenceFields = Record<string, unknown>;

/**
 * The first preferences in a text of YAML documents, in either naming profile.
 * @throws CommandError if the text has documents, but none of them contains preferences
 */
export function readPreferences(text: string, file: string): Read {
  const { fields, unknown } = preferenceFields(text, file);
  if (fields === undefined) return { preferences: undefined, unknown };
  const allowed = fields['credentialPluginAllowlist'] as { name?: string; command?: string }[] | undefined;
  const preferences = {
    defaults: (fields['defaults'] ?? []) as Preferences['defaults'],
    aliases: (fields['aliases'] ?? []) as Preferences['aliases'],
    plugins: {
      policy: (fields['credentialPluginPolicy'] ?? '') as string,
      allowed: allowed?.map(({ name, command }) => command ?? name ?? ''),
    },
  };
  return { preferences, unknown };
}

/**
 * The fields of the first preferences, under their present names, and the unknown fields. `fields` is undefined for a
 * text without documents.
 * @throws CommandError if the text is malformed
 */
export function preferenceFields(
  text: string,
  file: string,
): { readonly fields: PreferenceFields | undefined; readonly unknown: readonly string[] } {
  const documents = parseYamlDocuments(text, file).filter((document) => document !== null && document !== undefined);
  for (const document of documents) {
    const unknown: string[] = [];
    const renamed = renamedIn(document);
    const fields = renamed && known(document as Record<string, unknown>, PREFERENCES, '', { renamed, unknown });
    if (fields !== undefined) return { fields, unknown };
  }
  if (documents.length > 0) throw new CommandError(`no valid preferences found in ${file}, use --v=5 to see details`);
  return { fields: undefined, unknown: [] };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The renamed fields in the version of a document of preferences. Undefined for other documents. */
function renamedIn(document: unknown): ReadonlyMap<string, string> | undefined {
  if (!isMap(document) || document['kind'] !== 'Preference') return undefined;
  for (const profile of namingProfiles) {
    const { group } = createNaming(profile).preferences;
    for (const [version, renamed] of VERSIONS) if (document['apiVersion'] === `${group}/${version}`) return renamed;
  }
  return undefined;
}

/** The data for reading a document. */
interface Reading {
  readonly renamed: ReadonlyMap<string, string>;
  /** Collects the errors about unknown fields. */
  readonly unknown: string[];
}

/** The known fields, under their present names. Undefined if a field has another type. */
function known(
  value: Record<string, unknown>,
  types: Fields,
  at: string,
  reading: Reading,
): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = {};
  for (const [written, inner] of Object.entries(value)) {
    const isOfToday = [...reading.renamed.values()].includes(written);
    const name = isOfToday ? '' : (reading.renamed.get(written) ?? written);
    if (!Object.hasOwn(types, name)) {
      reading.unknown.push(`unknown field ${JSON.stringify(at + written)}`);
      continue;
    }
    if (inner === null) continue;
    const type = types[name]!;
    const read = type === 'text' ? textOf(inner) : listOf(inner, type, at + written, reading);
    if (read === undefined) return undefined;
    result[name] = read;
  }
  return result;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function listOf(value: unknown, type: 'texts' | Fields, at: string, reading: Reading): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item: unknown, i) => {
    if (type === 'texts') return textOf(item);
    return isMap(item) ? known(item, type, `${at}[${i}].`, reading) : undefined;
  });
  return items.includes(undefined) ? undefined : items;
}
