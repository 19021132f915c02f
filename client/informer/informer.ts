import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ReflectorSink } from './reflector.ts';

/**
 * Handles the changes of a collection. Handlers run one after the other, so a handler must return soon. A handler must
 * do long work later.
 */
export interface Handler<T> {
  /** Called for a new object. A handler that is added later is called for each existing object. */
  readonly added?: (object: T) => void;
  readonly updated?: (object: T, before: T) => void;
  /** Called with the last known state. This state may be outdated if the copy missed the deletion itself. */
  readonly deleted?: (object: T) => void;
}

/**
 * The key of an object in queues and copies.
 *
 * @example keyOf(pod) // 'default/web'; 'node1' of an object without namespace
 */
export function keyOf(object: ApiObject): string {
  const { namespace, name = '' } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

/** The parts of a key of {@link keyOf}. */
export function splitKey(key: string): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The values under which an index finds an object; see {@link byOwner}. */
export type IndexBy<T> = (object: T) => readonly string[];

export const byNamespace: IndexBy<ApiObject> = ({ metadata }) => [metadata.namespace ?? ''];
/** The uids of an object's owners. */
export const byOwner: IndexBy<ApiObject> = ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [];

/** Reads a copy of a collection. All readers share its objects and must not change them. */
export interface Lister<T extends ApiObject> {
  readonly size: number;
  get(key: string): T | undefined;
  all(): Iterable<T>;
  /** The objects with an index value. The index is built at the first use and then kept up to date. */
  find(by: IndexBy<T>, value: string): readonly T[];
}

/** The copy of one collection. Handlers get its changes. */
export class Informer<T extends ApiObject> implements Lister<T>, ReflectorSink<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<IndexBy<T>, Map<string, Map<string, T>>>();
  readonly #handlers = new Set<Handler<T>>();
  readonly #onHandlerError: (error: unknown) => void;
  readonly #ready: Promise<void>;
  #resolveReady!: () => void;
  #filled = false;
  #version: string | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(onHandlerError: (error: unknown) => void = () => {}) {
    this.#onHandlerError = onHandlerError;
    this.#ready = new Promise((resolve) => {
      this.#resolveReady = resolve;
    });
  }

  /** Resolves when the collection has been listed once. */
  ready(): Promise<void> {
    return this.#ready;
  }

  get filled(): boolean {
    return this.#filled;
  }

  /** The version of the collection that the copy shows; undefined before it was listed once. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Records that the copy shows the collection at a version or a newer one. */
  reached(version: string): void {
    this.#version = version;
    for (const look of [...this.#waiting]) look();
  }

  /**
   * Resolves when a condition on this copy holds. The condition is checked now, and whenever the copy reaches a
   * version.
   *
   * @throws the reason of the signal if it is aborted
   * @example await copy.until(() => copy.get('default/a') !== undefined, signal)
   */
  async until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(look);
        signal?.removeEventListener('abort', stop);
      };
      const look = () => {
        if (!condition()) return;
        end();
        resolve();
      };
      const stop = () => {
        end();
        reject(signal?.reason);
      };
      this.#waiting.add(look);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Calls the handler for every existing object, and for every change until the signal aborts. */
  on(handler: Handler<T>, signal?: AbortSignal): void {
    if (signal?.aborted) return;
    this.#handlers.add(handler);
    signal?.addEventListener('abort', () => this.#handlers.delete(handler), { once: true });
    for (const object of this.#objects.values()) this.#notify(handler, 'added', object, object);
  }

  /** Calls all handlers again for all objects, as updates, so that they notice changes that they missed. */
  resync(): void {
    for (const object of this.#objects.values())
      for (const handler of this.#handlers) this.#notify(handler, 'updated', object, object);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  all(): Iterable<T> {
    return this.#objects.values();
  }

  find(by: IndexBy<T>, value: string): readonly T[] {
    let index = this.#indexes.get(by);
    if (index === undefined) {
      index = new Map();
      this.#indexes.set(by, index);
      for (const [key, object] of this.#objects) addTo(index, by(object), key, object);
    }
    return [...(index.get(value)?.values() ?? [])];
  }

  replace(items: readonly T[]): void {
    const gone = new Set(this.#objects.keys());
    for (const item of items) {
      const key = keyOf(item);
      gone.delete(key);
      this.#put(key, item);
    }
    for (const key of gone) this.#remove(key, undefined);
    this.#filled = true;
    this.#resolveReady();
  }

  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const key = keyOf(object);
    if (type === 'DELETED') this.#remove(key, object);
    else this.#put(key, object);
  }

  #put(key: string, object: T): void {
    const before = this.#objects.get(key);
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) {
      // The object was deleted and created again between two events. The two objects differ, so this is a deletion and
      // a creation.
      this.#remove(key, undefined);
      this.#put(key, object);
      return;
    }
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion && before !== undefined) return;
    this.#objects.set(key, object);
    for (const [by, index] of this.#indexes) {
      const values = by(object);
      if (before !== undefined) {
        const left = by(before).filter((value) => !values.includes(value));
        removeFrom(index, left, key);
      }
      addTo(index, values, key, object);
    }
    for (const handler of this.#handlers)
      this.#notify(handler, before === undefined ? 'added' : 'updated', object, before ?? object);
  }

  #remove(key: string, last: T | undefined): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    for (const [by, index] of this.#indexes) removeFrom(index, by(before), key);
    const object = last ?? before;
    for (const handler of this.#handlers) this.#notify(handler, 'deleted', object, before);
  }

  /** If one handler fails, the other handlers still get the change. */
  #notify(handler: Handler<T>, what: keyof Handler<T>, object: T, before: T): void {
    try {
      handler[what]?.(object, before);
    } catch (error) {
      this.#onHandlerError(error);
    }
  }
}

function addTo<T>(index: Map<string, Map<string, T>>, values: readonly string[], key: string, object: T): void {
  for (const value of values) {
    const found = index.get(value);
    if (found === undefined) index.set(value, new Map([[key, object]]));
    else found.set(key, object);
  }
}

function removeFrom<T>(index: Map<string, Map<string, T>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const found = index.get(value);
    found?.delete(key);
    if (found?.size === 0) index.delete(value);
  }
}
