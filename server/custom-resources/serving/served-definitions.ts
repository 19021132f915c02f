import type { CustomResource } from '../../api/custom-resource.ts';
import type { Registry } from '../../api/registry.ts';
import type { Item } from '../../cache/item.ts';
import type { ResourceCache, Subscription } from '../../cache/resource-cache.ts';
import { NotCaughtUpError } from '../../cache/watch-cache.ts';
import { serviceUnavailable } from '../../errors/status-error.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionStatus,
} from '../../schema/generated/apiextensions.v1.ts';
import { hasCondition, statusOf } from '../definition/definition-status.ts';
import { SchemaCache } from '../kinds/schema-cache.ts';
import { createReadMetadata } from '../schema/read-metadata.ts';
import { LiveDefinition } from './live-definition.ts';

/** What the served definitions tell of problems, as pino does. */
export interface ServingLog {
  warn(details: object, message: string): void;
}

/** A definition with the status that follows from all definitions, which may not have been written yet. */
export interface KnownDefinition {
  readonly live: LiveDefinition;
  readonly status: CustomResourceDefinitionStatus;
}

/** How objects of a definition with a webhook get from one version to another. */
export type MakeConverter = (live: LiveDefinition) => CustomResource['convert'];

/**
 * Serves what is defined: follows the definitions in the cache, and gives the registry a resource for each whose names
 * are accepted. Names are accepted by what all definitions say, not by what has been written about it: a definition is
 * served from the moment at which this replica knows of it.
 */
export class ServedDefinitions {
  readonly #registry: Registry;
  readonly #log: ServingLog;
  readonly #definitions: ResourceCache;
  readonly #keyPrefix: string;
  readonly #live = new Map<string, LiveDefinition>();
  readonly #context: ConstructorParameters<typeof LiveDefinition>[1];
  readonly #listeners = new Set<() => void>();
  /** Definitions whose objects are cached, by their storage identity. */
  readonly #cached = new Map<string, Promise<unknown>>();
  readonly #ready = new Set<string>();
  #subscription: Subscription | undefined;
  #known: readonly KnownDefinition[] = [];
  #stale = true;
  #stopped = false;

  constructor(registry: Registry, log: ServingLog, converter: MakeConverter = () => undefined) {
    const { naming, schema, cache } = registry;
    const metadata = schema.message('meta.v1.ObjectMeta');
    const { cache: definitions, keyPrefix } = registry.stored('apiextensions', 'customresourcedefinitions');
    this.#registry = registry;
    this.#log = log;
    this.#definitions = definitions;
    this.#keyPrefix = keyPrefix;
    this.#context = {
      naming,
      schemas: new SchemaCache(naming.extensionPrefix, metadata),
      readMetadata: createReadMetadata(metadata),
      read: (item) => cache.parsed(item) as unknown as CustomResourceDefinition,
      keyOf: (item) => keyPrefix + item.key,
      catchUp: () => this.catchUp(),
      converter,
    };
  }

  /** Begins to serve what is defined, and follows it until `stop`. Resolves when all of it can be served. */
  async start(): Promise<void> {
    this.#registry.catchUp = () => this.catchUp();
    this.#follow();
    await this.#cacheObjects();
  }

  stop(): void {
    this.#stopped = true;
    this.#subscription?.close();
  }

  /** Whether a definition is still there. */
  has(live: LiveDefinition): boolean {
    return this.#live.get(live.item.key) === live;
  }

  /** Calls back when definitions have changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Where a definition is stored. */
  keyOf(item: Item): string {
    return this.#keyPrefix + item.key;
  }

  /** All definitions, with the status that each should have. */
  known(): readonly KnownDefinition[] {
    this.#pull();
    if (!this.#stale) return this.#known;
    this.#stale = false;
    this.#known = this.#statuses();
    return this.#known;
  }

  /**
   * Resolves when what is served is as new as the store was when this was called. Rejects with a StatusError, 503 when
   * the cache cannot catch up.
   */
  async catchUp(): Promise<void> {
    try {
      await this.#registry.cache.fresh();
    } catch (error) {
      if (error instanceof NotCaughtUpError) throw serviceUnavailable('what is defined is not known yet');
      throw error;
    }
    this.#pull();
    await this.#cacheObjects();
  }

  #follow(): void {
    const { items, subscription } = this.#definitions.snapshotAndSubscribe('');
    this.#subscription?.close();
    this.#subscription = subscription;
    const present = new Set(items.map(({ key }) => key));
    for (const key of this.#live.keys()) if (!present.has(key)) this.#drop(key);
    for (const item of items) this.#take(item);
    this.#changed();
    subscription.onReady(() => this.#pull());
  }

  /** Takes the changes that the cache has seen. */
  #pull(): void {
    const subscription = this.#subscription;
    if (subscription === undefined || this.#stopped) return;
    if (subscription.gone) {
      this.#follow();
      return;
    }
    let changed = false;
    for (let changes = subscription.next(1000); changes.length > 0; changes = subscription.next(1000)) {
      for (const { item, previous } of changes) {
        if (item !== undefined) this.#take(item);
        else if (previous !== undefined) this.#drop(previous.key);
      }
      changed = true;
    }
    if (changed) this.#changed();
  }

  #take(item: Item): void {
    if (!item.readable) {
      this.#drop(item.key);
      return;
    }
    const live = this.#live.get(item.key);
    if (live?.uid === item.uid) live.item = item;
    else {
      if (live !== undefined) this.#drop(item.key);
      this.#live.set(item.key, new LiveDefinition(item, this.#context));
    }
  }

  #drop(key: string): void {
    const live = this.#live.get(key);
    if (live === undefined) return;
    this.#live.delete(key);
    const { spec } = live.definition;
    const group = this.#registry.naming.shortForm(spec.group);
    const id = `${group}/${spec.names.plural}`;
    this.#cached.delete(id);
    this.#ready.delete(id);
    this.#registry.cache.removeResource(group, spec.names.plural);
  }

  #changed(): void {
    this.#stale = true;
    this.#registry.setCustom(() => this.#resources());
    for (const listener of this.#listeners) listener();
    void this.#cacheObjects();
  }

  /** Those whose status was written come first, in the order of their names; then the others as they came. */
  #statuses(): KnownDefinition[] {
    const settled: LiveDefinition[] = [];
    const fresh: LiveDefinition[] = [];
    for (const live of this.#live.values()) {
      (live.definition.status?.conditions?.length ? settled : fresh).push(live);
    }
    fresh.sort((a, b) => a.item.revision - b.item.revision);
    const now = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString().replace('.000', '');
    const context = { naming: this.#registry.naming, now };
    const byGroup = new Map<string, CustomResourceDefinition[]>();
    for (const { definition } of [...settled, ...fresh]) {
      const list = byGroup.get(definition.spec.group);
      if (list === undefined) byGroup.set(definition.spec.group, [definition]);
      else list.push(definition);
    }
    return [...settled, ...fresh].map((live) => {
      const { definition } = live;
      const group = byGroup.get(definition.spec.group)!;
      const status = statusOf(definition, group, context);
      group[group.indexOf(definition)] = { ...definition, status };
      return { live, status };
    });
  }

  #resources(): CustomResource[] {
    return this.known().flatMap(({ live, status }) => {
      if (!hasCondition({ status }, 'Established')) return [];
      const resource = live.resource(status);
      const group = this.#registry.naming.shortForm(resource.group);
      return this.#ready.has(`${group}/${resource.plural}`) ? [resource] : [];
    });
  }

  /** Has the cache hold the objects of all definitions; what is not held yet is not served. */
  async #cacheObjects(): Promise<void> {
    const waiting: Promise<unknown>[] = [];
    for (const { live } of this.known()) {
      const { spec } = live.definition;
      const group = this.#registry.naming.shortForm(spec.group);
      const { plural } = spec.names;
      const id = `${group}/${plural}`;
      if (this.#ready.has(id)) continue;
      let caching = this.#cached.get(id);
      if (caching === undefined) this.#cached.set(id, (caching = this.#cacheOne(id, group, plural)));
      waiting.push(caching);
    }
    if (waiting.length > 0) await Promise.all(waiting);
  }

  async #cacheOne(id: string, group: string, plural: string): Promise<void> {
    try {
      await this.#registry.cache.addResource({ group, plural });
      this.#ready.add(id);
      this.#registry.setCustom(() => this.#resources());
      for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#cached.delete(id);
      this.#log.warn({ err: error, resource: id }, 'the objects of a definition cannot be listed yet');
      throw serviceUnavailable(`the objects of ${plural}.${group} are not known yet`);
    }
  }
}
