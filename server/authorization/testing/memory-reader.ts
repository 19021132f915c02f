import { serviceUnavailable } from '#base/errors/status-error.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ChangeListener, ObjectReader, Unread } from '../../resources/object-reader.ts';
import { selectableFields } from '../../resources/selectable-fields.ts';

/** Objects in memory. The objects of `later` appear when a caller confirms, as on a replica that is behind. */
export class MemoryReader implements ObjectReader {
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  readonly later: (() => void)[] = [];
  stale = false;
  /** Whether the store cannot be reached. */
  down = false;
  confirmed = 0;

  put(group: string, plural: string, object: ApiObject): this {
    const before = this.#of(group, plural).get(keyOf(object));
    this.#of(group, plural).set(keyOf(object), object);
    for (const listener of this.#listening(group, plural))
      listener(keyOf(object), unread(object), before && unread(before));
    return this;
  }

  remove(group: string, plural: string, namespace: string, name: string): void {
    const key = pathOf(namespace, name);
    const before = this.#of(group, plural).get(key);
    this.#of(group, plural).delete(key);
    if (before !== undefined)
      for (const listener of this.#listening(group, plural)) listener(keyOf(before), undefined, unread(before));
  }

  get<T extends ApiObject>(group: string, plural: string, namespace: string, name: string): T | undefined {
    return this.#of(group, plural).get(pathOf(namespace, name)) as T | undefined;
  }

  list<T extends ApiObject>(group: string, plural: string, namespace?: string): readonly T[] {
    const all = [...this.#of(group, plural).values()] as T[];
    return namespace === undefined ? all : all.filter(({ metadata }) => (metadata.namespace ?? '') === namespace);
  }

  onChange<T extends ApiObject>(group: string, plural: string, listener: ChangeListener<T>): () => void {
    for (const object of this.list<T>(group, plural)) listener(keyOf(object), unread(object), undefined);
    const listeners = this.#listening(group, plural);
    listeners.add(listener as ChangeListener);
    return () => listeners.delete(listener as ChangeListener);
  }

  async confirm(): Promise<void> {
    if (this.down) throw serviceUnavailable('the store cannot be reached');
    this.confirmed++;
    this.stale = false;
    for (const happen of this.later.splice(0)) happen();
  }

  freshness(): 'confirmed' | 'stale' {
    return this.stale ? 'stale' : 'confirmed';
  }

  #of(group: string, plural: string): Map<string, ApiObject> {
    return entry(this.#objects, `${group}/${plural}`, () => new Map());
  }

  #listening(group: string, plural: string): Set<ChangeListener> {
    return entry(this.#listeners, `${group}/${plural}`, () => new Set());
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: ApiObject): string {
  return pathOf(namespace, name);
}

function pathOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

const fields = selectableFields(['spec.nodeName'], { group: '', plural: '' });

function unread<T extends ApiObject>(object: T): Unread<T> {
  return { fields: fields(object), read: () => object };
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
