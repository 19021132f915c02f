import { parseStored } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Stored } from '#storage/object-store.ts';
import { applyDelta, type Delta, deltaOf } from './delta.ts';
import { Interner, sameRecord } from './interner.ts';
import { parseWithoutManagers } from './parse-without-managers.ts';
import { servedBody } from './stored-body.ts';

/** The part of an object that selectors and indexes need. Reading it requires the parsed object. */
export interface IndexedMetadata {
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The selectable fields from the extractor of the resource; undefined if the resource has none. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly uid: string;
}

/** One revision of one object in its served form. It does not change. */
export interface Item extends IndexedMetadata {
  /** The key relative to the resource: `namespace/name`, or `name` for cluster-wide kinds. */
  readonly key: string;
  /** The namespace; empty for kinds without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** The store's revision of the write. It is the resource version. */
  readonly revision: number;
  /**
   * The object's JSON without `kind` and `apiVersion`, with `metadata.resourceVersion`. It is not a slice of other
   * memory. A large revision that was replaced keeps a delta to the next one, and is rebuilt at each use.
   */
  readonly body: Buffer;
  /** The stored apiVersion. Older objects may have another version of the kind. */
  readonly apiVersion: string;
  /** Whether the object could be read. If not, it has no labels, no fields and no uid. */
  readonly readable: boolean;
}

/** One change of one object. All subscribers get the same object, so they can share work by its identity. */
export interface ItemChange {
  readonly revision: number;
  /** The object after the change; undefined if it was deleted. */
  readonly item: Item | undefined;
  /** The object before the change; undefined if it was created. */
  readonly previous: Item | undefined;
}

/** Reads the selectable fields of a stored object, by field label. */
export type FieldExtractor = (object: ApiObject, key: string) => Readonly<Record<string, string>> | undefined;

/** A value and the revision that wrote it. */
export type StoredValue = Pick<Stored, 'value' | 'revision'>;

/** The settings by which stored values of one resource become items. */
export interface ItemReader {
  readonly interner: Interner;
  /** The object that it gets has no managedFields. */
  readonly extract?: FieldExtractor | undefined;
  /** Called once for an item with an unreadable object. */
  readonly unreadable: (item: Item, error: unknown) => void;
}

const UNREADABLE: IndexedMetadata = { labels: undefined, fields: undefined, uid: '' };

/** The size in bytes from which a replaced body becomes a delta. */
const DELTA_FROM_BYTES = 16_384;
/** The longest chain of deltas. A longer one would make it expensive to read old revisions. */
const MAX_DELTA_DEPTH = 8;

/** The body of a replaced revision, as a difference to the body of the next one. */
interface DeltaBody {
  readonly delta: Delta;
  readonly next: StoredItem;
}

/** An item whose indexed metadata is read at the first use, or earlier. */
class StoredItem implements Item {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly apiVersion: string;
  readonly #reader: ItemReader;
  #indexed: IndexedMetadata | undefined;
  #body: Buffer | DeltaBody;
  /** The length of the longest chain of deltas that ends here. */
  #deltaDepth = 0;

  /**
   * @param previous an earlier revision of the same object, whose strings are shared
   *
   * @throws as `servedBody`.
   */
  constructor(key: string, { value, revision }: StoredValue, reader: ItemReader, previous: Item | undefined) {
    const { apiVersion, body } = servedBody(value, revision);
    const { interner } = reader;
    const slash = key.indexOf('/');
    this.key = previous?.key ?? key;
    this.namespace = previous?.namespace ?? (slash < 0 ? '' : interner.string(key.slice(0, slash)));
    this.name = previous?.name ?? key.slice(slash + 1);
    this.revision = revision;
    this.#body = body;
    this.apiVersion = interner.string(apiVersion);
    this.#reader = reader;
  }

  get body(): Buffer {
    const body = this.#body;
    if (Buffer.isBuffer(body)) return body;
    return applyDelta(body.delta, body.next.body);
  }

  /** The memory of only the body of this revision, in bytes. */
  get ownBytes(): number {
    const body = this.#body;
    return Buffer.isBuffer(body) ? body.length : body.delta.head.length + body.delta.tail.length;
  }

  /** Replaces the body by its difference to the next revision if that saves memory. */
  keepDeltaTo(next: StoredItem): void {
    const body = this.#body;
    if (!Buffer.isBuffer(body) || body.length < DELTA_FROM_BYTES || this.#deltaDepth >= MAX_DELTA_DEPTH) return;
    const delta = deltaOf(body, next.body);
    if (delta === undefined) return;
    this.#body = { delta, next };
    next.#deltaDepth = Math.max(next.#deltaDepth, this.#deltaDepth + 1);
  }

  get labels(): IndexedMetadata['labels'] {
    return this.#read().labels;
  }

  get fields(): IndexedMetadata['fields'] {
    return this.#read().fields;
  }

  get uid(): string {
    return this.#read().uid;
  }

  get readable(): boolean {
    return this.#read() !== UNREADABLE;
  }

  /**
   * Reads the indexed metadata from the object. It shares equal strings with `previous`.
   *
   * @throws what the extractor throws
   */
  indexObject(object: ApiObject, previous: Item | undefined): void {
    const { interner, extract } = this.#reader;
    const { labels, uid = '' } = object.metadata;
    const fields = extract?.(object, this.key);
    this.#indexed = {
      labels: isEmpty(labels) ? undefined : shared(labels, previous?.labels, interner),
      fields: fields === undefined ? undefined : sharedFields(fields, previous?.fields, this.name, interner),
      uid: uid === previous?.uid ? previous.uid : uid,
    };
  }

  forgetIndexed(): void {
    this.#indexed = undefined;
  }

  #read(): IndexedMetadata {
    if (this.#indexed === undefined) {
      try {
        this.indexObject(parseWithoutManagers(this.body), undefined);
      } catch (error) {
        this.#indexed = UNREADABLE;
        this.#reader.unreadable(this, error);
      }
    }
    return this.#indexed!;
  }
}

/** Call this function when `next` has replaced `item`. The item then keeps a large body as a delta to the next one. */
export function replaced(item: Item, next: Item): void {
  if (item instanceof StoredItem && next instanceof StoredItem) item.keepDeltaTo(next);
}

/** Makes an item read its indexed metadata again at the next use, because the selectable fields have changed. */
export function forgetIndexed(item: Item): void {
  if (item instanceof StoredItem) item.forgetIndexed();
}

/** The memory of only the body of this revision, in bytes. */
export function ownBytes(item: Item): number {
  return item instanceof StoredItem ? item.ownBytes : item.body.length;
}

/**
 * An item from its stored value. The value is not parsed yet, because parsing costs more than all other work.
 * `previous` is an earlier revision of the same object, whose strings may be shared.
 *
 * @throws the error of `servedBody`, if the start of the value is malformed
 */
export function unreadItem(key: string, stored: StoredValue, reader: ItemReader, previous?: Item): Item {
  return new StoredItem(key, stored, reader, previous);
}

/**
 * Creates an item from its stored value and its parsed object, without `kind` and `apiVersion`. `previous` is an
 * earlier revision of the same object, whose strings may be shared.
 *
 * @throws the errors of JSON.parse, of the extractor and of `servedBody`
 */
export function readItem(
  key: string,
  stored: StoredValue,
  reader: ItemReader,
  previous?: Item,
): { readonly item: Item; readonly object: ApiObject } {
  const item = new StoredItem(key, stored, reader, previous);
  const object = parseStored<ApiObject>(item.body);
  item.indexObject(object, previous);
  return { item, object };
}

const noSharing = new Interner(0);

/**
 * An item for an answer. It has no key, because it is never looked up.
 *
 * @throws what `servedBody` throws
 */
export function passingItem(value: Buffer, revision: number): Item {
  return new StoredItem('', { value, revision }, { interner: noSharing, unreadable() {} }, undefined);
}

/** An item that was read from the store directly. Undefined if the value is not an object that this system stores. */
export function itemOf(key: string, value: Buffer, revision: number, extract?: FieldExtractor): Item | undefined {
  try {
    const item = new StoredItem(key, { value, revision }, { interner: noSharing, extract, unreadable() {} }, undefined);
    return item.readable ? item : undefined;
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

/**
 * Few objects have equal values in all fields, because each has a name and an address. So the values are shared one by
 * one.
 */
function sharedFields(
  fields: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>> | undefined,
  name: string,
  interner: Interner,
): Readonly<Record<string, string>> {
  if (previous !== undefined && sameRecord(fields, previous)) return previous;
  // biome-ignore lint/plugin: the kind chooses the names, and each object has such a record
  const result: Record<string, string> = {};
  for (const label in fields) {
    const value = fields[label]!;
    result[label] = value === name ? name : interner.string(value);
  }
  return result;
}
