import { serviceUnavailable } from '#base/errors/status-error.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from '#schema/generated/apiextensions.v1.ts';
import { formatTime } from '#schema/values/time.ts';
import type { Item } from '../../cache/item.ts';
import type { ResourceCache } from '../../cache/resource-cache.ts';
import { NotCaughtUpError } from '../../cache/watch-cache.ts';
import type { CustomGroup, CustomResource } from '../../resources/custom-resource.ts';
import type { Registry } from '../../resources/registry.ts';
import { hasCondition, statusOf } from '../definition/definition-status.ts';
import { objectForms } from '../kinds/object-errors.ts';
import { SchemaCache } from '../kinds/schema-cache.ts';
import { namePrefixOf } from '../schema/name-formats.ts';
import { createReadMetadata } from '../schema/read-metadata.ts';
import { FreshSchemas } from './fresh-schemas.ts';
import { type LiveContext, LiveDefinition } from './live-definition.ts';

const GROUP = 'apiextensions';
const PLURAL = 'customresourcedefinitions';

/** A log for messages about definitions, with methods like those of pino. */
export interface ServingLog {
  warn(details: object, message: string): void;
}

/** A definition with the status that follows from all definitions. This status may not be written yet. */
export interface KnownDefinition {
  readonly live: LiveDefinition;
  readonly status: CustomResourceDefinitionStatus;
}

/** The definitions of a group. It is the same value while none of them changes. */
export interface KnownGroup {
  readonly known: readonly KnownDefinition[];
  /** The served part. */
  readonly served: CustomGroup;
}

/** Converts objects of a definition with a webhook from one version to another. */
export type MakeConverter = (live: LiveDefinition) => CustomResource['convert'];

/**
 * Serves the resources of definitions. It follows the definitions in the cache and gives the registry a resource for
 * each definition whose names are accepted. Acceptance is computed from all definitions, and not read from their
 * status. So a replica serves a definition as soon as it knows it, before a request continues that waits for the same
 * revision.
 */
export class ServedDefinitions {
  readonly #registry: Registry;
  readonly #definitions: ResourceCache;
  readonly #keyPrefix: string;
  readonly #context: LiveContext;
  readonly #live = new Map<string, LiveDefinition>();
  readonly #groups = new Map<string, Set<LiveDefinition>>();
  readonly #knownByGroup = new Map<string, KnownGroup>();
  readonly #listeners = new Set<() => void>();
  readonly #ends: (() => void)[] = [];
  #known: readonly KnownGroup[] | undefined;
  /** Whether all definitions that existed at the start have been read. The server never serves only a part of them. */
  #isRead = false;

  /** Starts to serve the definitions in a filled cache. If there is much to read, it pauses for other requests. */
  static async from(registry: Registry, converter: MakeConverter = () => undefined): Promise<ServedDefinitions> {
    const definitions = new ServedDefinitions(registry, converter);
    await definitions.#readAll();
    return definitions;
  }

  private constructor(registry: Registry, converter: MakeConverter) {
    const { naming, schema, cache } = registry;
    const metadata = schema.message('meta.v1.ObjectMeta');
    const { cache: definitions, keyPrefix } = registry.stored(GROUP, PLURAL);
    this.#registry = registry;
    this.#definitions = definitions;
    this.#keyPrefix = keyPrefix;
    this.#context = {
      naming,
      schemas: new SchemaCache(naming.extensionPrefix, metadata, namePrefixOf(naming, schema.release)),
      readMetadata: createReadMetadata(metadata),
      forms: objectForms(schema.release),
      fresh: new FreshSchemas(),
      read: (item) => cache.parsed(item) as unknown as CustomResourceDefinition,
      keyOf: (item) => keyPrefix + item.key,
      catchUp: () => this.catchUp(),
      converter,
    };
    registry.learnDefinitionsBy(() => this.catchUp());
    this.#ends.push(
      cache.onApply(({ group, plural, key, item }) => {
        if (plural !== PLURAL || group !== GROUP) return;
        if (item === undefined) this.#drop(key);
        else this.#take(item);
        if (this.#isRead) this.#changed();
      }),
      cache.onRelist(() => this.#takeAll()),
    );
  }

  /** Stops following the definitions. The served resources stay. */
  stop(): void {
    for (const end of this.#ends) end();
  }

  /** Calls the listener when definitions have changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Whether a definition still exists. */
  has(live: LiveDefinition): boolean {
    return this.#live.get(live.item.key) === live;
  }

  /**
   * Whether a definition is in a built-in group. Such a definition is accepted like any other. But the server serves
   * nothing for it, and no object belongs to it.
   */
  isShadowed({ group }: LiveDefinition): boolean {
    return this.#registry.isBuiltIn(this.#registry.naming.shortForm(group));
  }

  /** The store's key of a definition. */
  keyOf(item: Item): string {
    return this.#keyPrefix + item.key;
  }

  /** All definitions by group, with the status that each should have. */
  known(): readonly KnownGroup[] {
    this.#known ??= [...this.#groups].map(([group, members]) => this.#knownIn(group, members));
    return this.#known;
  }

  /**
   * Resolves when the served resources are as new as the store was at the call. Rejects with a StatusError, and with
   * 503 if the cache cannot catch up.
   */
  async catchUp(): Promise<void> {
    try {
      await this.#registry.cache.fresh();
    } catch (error) {
      if (error instanceof NotCaughtUpError) throw serviceUnavailable('what is defined is not known yet');
      throw error;
    }
  }

  async #readAll(): Promise<void> {
    const slice = new TimeSlice();
    for (const { key } of this.#definitions.range('')) {
      // the current state
      const item = this.#definitions.get(key);
      if (item !== undefined) this.#take(item);
      if (slice.over) await slice.yield();
    }
    this.#isRead = true;
    this.#changed();
  }

  #takeAll(): void {
    const items = this.#definitions.range('');
    const present = new Set(items.map(({ key }) => key));
    for (const key of [...this.#live.keys()]) if (!present.has(key)) this.#drop(key);
    for (const item of items) this.#take(item);
    this.#changed();
  }

  #take(item: Item): void {
    const known = this.#live.get(item.key);
    if (known?.item === item) return;
    let fresh: LiveDefinition;
    try {
      // Only parsing finds a malformed definition. This is expensive for a large one, so it is done once.
      fresh = new LiveDefinition(item, this.#context, known);
    } catch (error) {
      if (item.readable) throw error;
      this.#drop(item.key);
      return;
    }
    if (known?.uid === fresh.uid) {
      known.become(fresh);
      this.#knownByGroup.delete(known.group);
      return;
    }
    this.#drop(item.key);
    this.#live.set(item.key, fresh);
    const there = this.#groups.get(fresh.group);
    if (there === undefined) this.#groups.set(fresh.group, new Set([fresh]));
    else there.add(fresh);
    this.#knownByGroup.delete(fresh.group);
  }

  /** Removes a definition, and also ends the watches of its objects. */
  #drop(key: string): void {
    const live = this.#live.get(key);
    if (live === undefined) return;
    this.#live.delete(key);
    const { group } = live;
    const there = this.#groups.get(group)!;
    there.delete(live);
    if (there.size === 0) this.#groups.delete(group);
    this.#knownByGroup.delete(group);
    if (this.isShadowed(live)) return;
    this.#registry.cache.removeResource(this.#registry.naming.shortForm(group), live.outline.spec.names.plural);
  }

  #changed(): void {
    this.#known = undefined;
    this.#registry.setCustom(() => this.known().map(({ served }) => served));
    for (const listener of this.#listeners) listener();
  }

  /** The groups. Names are unique within a group, so a group without changes keeps its result. */
  #knownIn(group: string, members: ReadonlySet<LiveDefinition>): KnownGroup {
    let there = this.#knownByGroup.get(group);
    if (there === undefined) {
      const known = this.#statusesOf(members);
      there = { known, served: { name: group, resources: this.#resourcesOf(known) } };
      this.#knownByGroup.set(group, there);
    }
    return there;
  }

  /** Definitions with a written status come first, and then the others in order of arrival. */
  #statusesOf(members: ReadonlySet<LiveDefinition>): readonly KnownDefinition[] {
    const settled = [...members].filter((live) => live.isSettled);
    const fresh = [...members].filter((live) => !live.isSettled).sort((a, b) => a.item.revision - b.item.revision);
    const { naming, schema } = this.#registry;
    const context = { naming, release: schema.release, now: formatTime(Date.now()) };
    const group = new Map([...settled, ...fresh].map((live) => [live, live.outline]));
    return [...settled, ...fresh].map((live) => {
      const { outline } = live;
      const status = statusOf(outline, group.values(), context);
      // For the definitions after this one, its names are in use.
      if (status !== outline.status) group.set(live, { ...outline, status });
      return { live, status };
    });
  }

  #resourcesOf(known: readonly KnownDefinition[]): CustomResource[] {
    return known.flatMap(({ live, status }) =>
      hasCondition({ status }, 'Established') && !this.isShadowed(live) ? [live.resource(status)] : [],
    );
  }
}
