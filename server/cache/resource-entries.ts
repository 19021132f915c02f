import { isSealed } from '#program/encryption/sealed-value.ts';
import { storageIdOfKey as resourceIdOfKey } from '#schema/descriptors/storage-id.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Change } from '#storage/object-store.ts';
import type { CachedResource } from './cached-resource.ts';
import { Interner } from './interner.ts';
import { type FieldExtractor, type Item, type ItemReader, readItem, type StoredValue, unreadItem } from './item.ts';

export { storageId as resourceId, storageIdOfKey as resourceIdOfKey } from '#schema/descriptors/storage-id.ts';

/** A resource to be cached. */
export interface ResourceSpec {
  /** The short name of the group; '' is the core group. */
  readonly group: string;
  readonly plural: string;
  readonly extract?: FieldExtractor | undefined;
}

/** The log of the cache. It has the same methods as a log of pino. */
export interface CacheLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A cached resource, and the facts about it that the feed needs. */
export interface ResourceEntry {
  /** The identity, such as `core/pods`. */
  readonly id: string;
  readonly spec: ResourceSpec;
  readonly resource: CachedResource;
  readonly reader: ItemReader;
  /** Changes that arrived while the resource was still being listed. */
  pending: Change[] | undefined;
  /** Resolves when the resource has been listed. It is set only for a resource that was added while the server runs. */
  filling?: Promise<void>;
}

/** An absolute key, split into its resource and its relative key. */
export interface LocatedKey {
  readonly entry: ResourceEntry;
  /** Relative to the resource. */
  readonly key: string;
}

/**
 * Whether a resource is custom. Its group then has a dot in its short name. Keys of custom resources are always cached,
 * even before the resource is defined. A later definition finds its objects in the cache.
 */
export function isCustomResource(id: string): boolean {
  return id.slice(0, id.indexOf('/')).includes('.');
}

/** All cached resources, found by the absolute keys of their objects. */
export class ResourceEntries {
  readonly #base: number;
  readonly #log: CacheLog;
  readonly #entries = new Map<string, ResourceEntry>();
  readonly #interner = new Interner();
  readonly #addCustom: (id: string) => ResourceEntry;
  /** The selectable fields of custom resources, if they have any. */
  readonly #selected = new Map<string, { readonly labels: string; readonly extract: FieldExtractor }>();

  /**
   * `prefix` is the prefix of all keys, without a slash at the end. `addCustom` makes the entry of a custom resource at
   * its first use.
   */
  constructor(prefix: string, log: CacheLog, addCustom: (id: string) => ResourceEntry) {
    this.#base = prefix.length + 1;
    this.#log = log;
    this.#addCustom = addCustom;
  }

  [Symbol.iterator](): IterableIterator<ResourceEntry> {
    return this.#entries.values();
  }

  get(id: string): ResourceEntry | undefined {
    return this.#entries.get(id);
  }

  add(entry: ResourceEntry): void {
    this.#entries.set(entry.id, entry);
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  /** Finds the resource and the object of a key; undefined if the key is not that of an object of a cached resource. */
  locate(absolute: string): LocatedKey | undefined {
    const id = resourceIdOfKey(absolute, this.#base);
    if (id === undefined) return undefined;
    const entry = this.#entries.get(id) ?? (isCustomResource(id) ? this.#addCustom(id) : undefined);
    return entry === undefined ? undefined : { entry, key: absolute.slice(this.#base + id.length + 1) };
  }

  /**
   * Sets the fields of a custom resource that field selectors read. With new field labels, the cache reads the fields
   * of all objects again.
   */
  selectBy(id: string, labels: readonly string[], extract: FieldExtractor): void {
    const names = labels.join('\n');
    if (names === (this.#selected.get(id)?.labels ?? '')) return;
    if (names === '') this.#selected.delete(id);
    else this.#selected.set(id, { labels: names, extract });
    this.#entries.get(id)?.resource.reindex();
  }

  /**
   * The functions by which the cache reads the objects of a resource. They log failures. An unreadable object has no
   * labels and no fields. An object whose fields are unreadable has no fields.
   */
  reader(id: string, own: FieldExtractor | undefined): ItemReader {
    const selected: FieldExtractor = (object, key) => this.#selected.get(id)?.extract(object, key);
    const extract = own ?? (isCustomResource(id) ? selected : undefined);
    return {
      interner: this.#interner,
      extract:
        extract &&
        ((object, key) => {
          try {
            return extract(object, key);
          } catch (error) {
            this.#log.error({ err: error, resource: id, key }, 'the selectable fields of an object cannot be read');
            return {};
          }
        }),
      unreadable: ({ key, revision }, error) => {
        this.#log.error({ err: error, resource: id, key, revision }, 'a stored value cannot be read');
      },
    };
  }

  /**
   * The item of a stored value, which is parsed at its first use. Undefined, with a log message, if the value does not
   * begin like an object.
   */
  list(located: LocatedKey, stored: StoredValue, previous?: Item): Item | undefined {
    return this.#guarded(located, stored, () => unreadItem(located.key, stored, located.entry.reader, previous));
  }

  /**
   * The item of a stored value. Undefined, with a log message, if the value cannot be read. `parsed` gets its object.
   */
  build(
    located: LocatedKey,
    stored: StoredValue,
    previous: Item | undefined,
    parsed: (item: Item, object: ApiObject) => void,
  ): Item | undefined {
    return this.#guarded(located, stored, () => {
      const { item, object } = readItem(located.key, stored, located.entry.reader, previous);
      parsed(item, object);
      return item;
    });
  }

  #guarded({ entry, key }: LocatedKey, { value, revision }: StoredValue, make: () => Item): Item | undefined {
    try {
      return make();
    } catch (error) {
      this.#log.error(
        { err: error, resource: entry.id, key, revision },
        'a stored value cannot be read and is skipped',
      );
      entry.resource.cannotRead(key, isSealed(value) ? revision : undefined);
      return undefined;
    }
  }
}
