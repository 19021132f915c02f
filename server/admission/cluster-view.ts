import type { ApiObject } from '#schema/objects/api-object.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { Registry } from '../resources/registry.ts';
import { mostRecent } from '../verbs/read-version.ts';

/**
 * Stored objects for plug-ins. They are the objects of the watch cache, so plug-ins must not change them. Groups have
 * their short form.
 */
export interface ClusterView {
  /** An object. `key` is `namespace/name`, or `name` for cluster-wide kinds. */
  get<T extends ApiObject>(group: string, plural: string, key: string): T | undefined;
  /** Like `get`. If the object is missing, it looks again in a state that is as new as the call. */
  find<T extends ApiObject>(group: string, plural: string, key: string): Promise<T | undefined>;
  /** All objects, or those of one namespace (`namespace/`). */
  list<T extends ApiObject>(group: string, plural: string, scope?: string): readonly T[];
  /** Updates the cache to the state of the store at the beginning of the call. */
  refresh(): Promise<void>;
  /** The registry behind this view. */
  readonly registry: Registry;
}

/** A view of a registry's objects. */
export class RegistryView implements ClusterView {
  readonly registry: Registry;

  constructor(registry: Registry) {
    this.registry = registry;
  }

  get<T extends ApiObject>(group: string, plural: string, key: string): T | undefined {
    const { registry } = this;
    const stored = registry.stored(group, plural);
    const item = stored.cache.get(key);
    return item === undefined ? undefined : (storedObject(registry, stored, item) as T);
  }

  async find<T extends ApiObject>(group: string, plural: string, key: string): Promise<T | undefined> {
    const found = this.get<T>(group, plural, key);
    if (found !== undefined) return found;
    await this.refresh();
    return this.get(group, plural, key);
  }

  list<T extends ApiObject>(group: string, plural: string, scope = ''): readonly T[] {
    const { registry } = this;
    const stored = registry.stored(group, plural);
    return stored.cache.range(scope).map((item) => storedObject(registry, stored, item) as T);
  }

  async refresh(): Promise<void> {
    await mostRecent(this.registry);
  }
}
