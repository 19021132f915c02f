import { parseStored } from '../codecs/json/parse-stored.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { Interner, sameRecord } from './interner.ts';
import { outlineOf } from './outline.ts';
import { servedBody } from './stored-body.ts';

/** One revision of one object, as it is served. Immutable. */
export interface Item {
  /** Relative to the resource: `namespace/name`, or `name` for cluster-wide kinds. */
  readonly key: string;
  /** Empty for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
  /** The store's revision of the write, which is the resource version. */
  readonly revision: number;
  /** The object's JSON without `kind` and `apiVersion`, with `metadata.resourceVersion`. Memory of its own, not a slice. */
  readonly body: Buffer;
  /** As stored: older objects may carry another version of the kind. */
  readonly apiVersion: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** What field selectors see, from the resource's extractor; undefined without one. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly uid: string;
}

/** One change of one object. The same value for every subscriber, so that work done for it can be kept by identity. */
export interface ItemChange {
  readonly revision: number;
  /** After the change; undefined when it was a delete. */
  readonly item: Item | undefined;
  /** Before the change; undefined when it was a create. */
  readonly previous: Item | undefined;
}

/** Reads the selectable fields of a stored object, by field label. */
export type FieldExtractor = (object: ApiObject, key: string) => Readonly<Record<string, string>>;

/**
 * An item from its stored value. `extract` sees no managedFields. `previous` is an earlier revision of the same object
 * whose strings may be shared; `parsed` gets the object, which had to be read for its labels, without `kind` and
 * `apiVersion`. Throws what JSON.parse, `extract` and `servedBody` throw.
 */
export function buildItem(
  key: string,
  value: Buffer,
  revision: number,
  interner: Interner,
  extract?: FieldExtractor,
  previous?: Item,
  parsed?: (item: Item, object: ApiObject) => void,
): Item {
  const { apiVersion, body } = servedBody(value, revision);
  const object = parsed === undefined ? outlineOf(body) : parseStored<ApiObject>(body);
  const slash = key.indexOf('/');
  const namespace = previous?.namespace ?? (slash < 0 ? '' : interner.string(key.slice(0, slash)));
  const name = previous?.name ?? key.slice(slash + 1);
  const { labels, uid = '' } = object.metadata;
  const fields = extract?.(object, key);
  const item: Item = {
    key: previous?.key ?? key,
    namespace,
    name,
    revision,
    body,
    apiVersion: interner.string(apiVersion),
    labels: isEmpty(labels) ? undefined : shared(labels, previous?.labels, interner),
    fields: fields === undefined ? undefined : sharedFields(fields, previous?.fields, name, interner),
    uid: uid === previous?.uid ? previous.uid : uid,
  };
  parsed?.(item, object);
  return item;
}

const noSharing = new Interner(0);

/** An item read from the store directly; undefined when the value is not an object that this system stores. */
export function itemOf(key: string, value: Buffer, revision: number, extract?: FieldExtractor): Item | undefined {
  try {
    return buildItem(key, value, revision, noSharing, extract);
  } catch {
    return undefined;
  }
}

function isEmpty(labels: Record<string, string> | undefined | null): labels is undefined | null {
  if (labels === undefined || labels === null) return true;
  for (const _ in labels) return false;
  return true;
}

function shared(
  labels: Record<string, string>,
  previous: Readonly<Record<string, string>> | undefined,
  interner: Interner,
): Readonly<Record<string, string>> {
  return previous !== undefined && sameRecord(labels, previous) ? previous : interner.record(labels);
}

/** Fields are mostly the object's own (its name, its address), so their values are shared one by one. */
function sharedFields(
  fields: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>> | undefined,
  name: string,
  interner: Interner,
): Readonly<Record<string, string>> {
  if (previous !== undefined && sameRecord(fields, previous)) return previous;
  const result: Record<string, string> = {};
  for (const label in fields) {
    const value = fields[label]!;
    result[label] = value === name ? name : interner.string(value);
  }
  return result;
}
