import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { CommandError } from '../framework/errors.ts';
import { toCompactJson } from './json.ts';

/** Options for reading the objects of documents. */
export interface DocumentReading {
  /** The file, the URL or `STDIN`. */
  readonly source: string;
  /** The text of the document, if it is JSON. */
  readonly written?: string | undefined;
  /** Whether the objects will be stored (`--validate`). Each must then have a kind and an apiVersion. */
  readonly validated?: boolean;
}

/** The error about an object that is to be stored but has no kind or no apiVersion. */
export class UndeclaredError extends CommandError {}

/**
 * The objects of a document, which is one object or a list. The result is empty if the document is empty.
 * @throws CommandError if the document is malformed
 */
export function objectsIn(document: unknown, reading: DocumentReading): ApiObject[] {
  if (document === null || document === undefined) return [];
  const value = document as JsonValue;
  if (reading.validated === true) {
    const mistakes = undeclaredIn(value);
    if (mistakes.length > 0) throw invalid(mistakes, reading.source);
  }
  return decoded(value, reading, 'unstructured.detector');
}

function decoded(document: JsonValue, reading: DocumentReading, wanted: string): ApiObject[] {
  const { source, written } = reading;
  const fail = (what: string): never => {
    throw new CommandError(`unable to decode "${source}": ${what}`);
  };
  if (!isObject(document)) return fail(`json: cannot unmarshal ${typeName(document)} into Go value of type ${wanted}`);
  const { kind, apiVersion, items } = document;
  if (typeof kind !== 'string' || kind === '' || !isVersion(apiVersion)) {
    if (wanted !== 'unstructured.detector')
      throw new CommandError(
        `unable to get type info from the object "*unstructured.Unstructured": Object 'Kind' is missing in 'object has no kind field '`,
        { plain: true },
      );
    return fail(`Object 'Kind' is missing in '${written ?? toCompactJson(document)}'`);
  }
  if (kind.endsWith('List') && items !== undefined) {
    if (!Array.isArray(items) && items !== null)
      return fail(`json: ${intoField(items, 'decodeList.items', '[]json.RawMessage')}`);
    const own = kind === 'List' ? {} : { apiVersion: apiVersion ?? '', kind: kind.slice(0, -'List'.length) };
    return (items ?? []).flatMap((item) =>
      decoded(isObject(item) && !item['kind'] ? { ...item, ...own } : item, reading, 'map[string]interface {}'),
    );
  }
  if (wanted !== 'unstructured.detector' && (apiVersion ?? '') === '')
    throw new CommandError(
      `unable to get type info from the object "*unstructured.Unstructured": Object 'apiVersion' is missing in 'object has no apiVersion field'`,
      { plain: true },
    );
  const mistake = mistakeIn(document);
  if (mistake !== undefined) return fail(`json: ${mistake}`);
  return [asObject({ ...document, metadata: { ...(document['metadata'] as object) } })];
}

/** The error about a document without kind or apiVersion, in the words of the field's clients. */
function undeclaredIn(document: JsonValue): string[] {
  if (!isObject(document)) return ['invalid object to validate'];
  const { kind, apiVersion, items } = document;
  const mistakes = (['apiVersion', 'kind'] as const).flatMap((field) => {
    const value = document[field];
    if (value === undefined || value === null || value === '') return [`${field} not set`];
    return typeof value === 'string' ? [] : [`${field} isn't string type`];
  });
  if (mistakes.length > 0) return mistakes;
  if (!isVersion(apiVersion)) return [`unexpected GroupVersion string: ${String(apiVersion)}`];
  if (kind === 'List' && items !== undefined && items !== null)
    return Array.isArray(items) ? items.flatMap(undeclaredIn) : ['invalid object to validate'];
  return [];
}

function invalid(mistakes: readonly string[], source: string): UndeclaredError {
  const what = mistakes.length === 1 ? mistakes[0] : `[${mistakes.join(', ')}]`;
  return new UndeclaredError(
    `error validating "${source}": error validating data: ${what}; if you choose to ignore these errors, turn validation off with --validate=false`,
  );
}

/**
 * Whether the value is a group and a version, or a version. Values that are not texts also count, because another check
 * reports them.
 */
function isVersion(value: JsonValue | undefined): boolean {
  return typeof value !== 'string' || value.split('/').length <= 2;
}

const TEXTS = ['name', 'generateName', 'namespace', 'resourceVersion', 'uid'];
const TEXT_MAPS = ['labels', 'annotations'];

/** The error about the first value with a wrong type. Undefined means that there is none. */
function mistakeIn({ apiVersion, metadata = {} }: JsonObject): string | undefined {
  if (typeof (apiVersion ?? '') !== 'string') return intoField(apiVersion!, 'metadataOnlyObject.apiVersion', 'string');
  if (metadata === null) return undefined;
  if (!isObject(metadata)) return intoField(metadata, 'metadataOnlyObject.metadata', 'v1.ObjectMeta');
  for (const field of TEXTS) {
    const value = metadata[field] ?? '';
    if (typeof value !== 'string') return intoField(value, `ObjectMeta.metadata.${field}`, 'string');
  }
  for (const field of TEXT_MAPS) {
    const map = metadata[field] ?? {};
    if (!isObject(map)) return intoField(map, `ObjectMeta.metadata.${field}`, 'map[string]string');
    for (const value of Object.values(map))
      if (typeof (value ?? '') !== 'string') return intoField(value, `ObjectMeta.metadata.${field}`, 'string');
  }
  return undefined;
}

function intoField(value: JsonValue, field: string, wanted: string): string {
  return `cannot unmarshal ${typeName(value)} into Go struct field ${field} of type ${wanted}`;
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' || isObject(value) ? typeof value : 'number';
}
