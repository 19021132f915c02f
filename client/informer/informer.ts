import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ReflectorSink } from './reflector.ts';

/** What is told of changes. Handlers run one after the other in the event's turn: they note what to do and do it later. */
export interface Handler<T> {
  /** An object that was not there before; told of all that are there when the handler is added. */
  readonly added?: (object: T) => void;
  readonly updated?: (object: T, before: T) => void;
  /** With the last state known; not always the very last, where the end itself was missed. */
  readonly deleted?: (object: T) => void;
}

/** `namespace/name`, or the name of an object without namespace: what queues and caches call it. */
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

/** By what objects are found: all values under which one is. */
export type IndexBy<T> = (object: T) => readonly string[];

export const byNamespace: IndexBy<ApiObject> = ({ metadata }) => [metadata.namespace ?? ''];
/** The uids of an object's owners. */
export const byOwner: IndexBy<ApiObject> = ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [];

/** Reads of a collection's copy. Objects are shared by all who read them: nobody changes them. */
export interface Lister<T extends ApiObject> {
  readonly size: number;
  get(key: string): T | undefined;
  all(): Iterable<T>;
  /** What an index finds; it is made when it is first asked for, and kept up to date from then on. */
  find(by: IndexBy<T>, value: string): readonly T[];
}

/** The copy of one collection, shared by all who are interested in it: their handlers are told of its changes. */
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

  /** The copy shows the collection as of a version, or newer. */
  reached(version: string): void {
    this.#version = version;
    for (const look of [...this.#waiting]) look();
  }

  /**
   * Resolves when a condition about this copy holds: it is asked now, and each time that the copy has reached a version.
   *
   * @throws the reason of the signal, when it is aborted
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

  /** Tells the handler of what is there, and of every change until the signal. */
  on(handler: Handler<T>, signal?: AbortSignal): void {
    if (signal?.aborted) return;
    this.#handlers.add(handler);
    signal?.addEventListener('abort', () => this.#handlers.delete(handler), { once: true });
    for (const object of this.#objects.values()) this.#tell(handler, 'added', object, object);
  }

  /** Tells all handlers of all objects, as if they had been updated: what was missed, for whatever reason, is found. */
  resync(): void {
    for (const object of this.#objects.values())
      for (const handler of this.#handlers) this.#tell(handler, 'updated', object, object);
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
      // Deleted and made again while nobody looked: two objects, not one that changed.
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
      this.#tell(handler, before === undefined ? 'added' : 'updated', object, before ?? object);
  }

  #remove(key: string, last: T | undefined): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    for (const [by, index] of this.#indexes) removeFrom(index, by(before), key);
    const object = last ?? before;
    for (const handler of this.#handlers) this.#tell(handler, 'deleted', object, before);
  }

  /** One handler's mistake is not another's. */
  #tell(handler: Handler<T>, what: keyof Handler<T>, object: T, before: T): void {
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
