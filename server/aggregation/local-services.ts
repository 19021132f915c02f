import { randomUUID } from 'node:crypto';
import type { Naming } from '#base/naming/naming.ts';
import type { APIService, APIServiceCondition, APIServiceSpec } from '#schema/generated/apiregistration.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import type { ServedGroup } from '../api/served-resources.ts';
import type { Item } from '../cache/item.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';
import type { ApiServices, KnownApiService } from './api-services.ts';
import { localCondition } from './conditions.ts';

/** Priorities of group versions that users define. */
export const CUSTOM_PRIORITY = { group: 1000, version: 100 };

/** Values of the label for APIServices that this server manages. It changes and removes only labelled ones. */
const AT_START = 'onstart';
const ALWAYS = 'true';

/** The label of APIServices that this server manages for its own versions. */
export function keptLabel(naming: Naming): string {
  return naming.key('aggregator/automanaged');
}

interface Priority {
  readonly group: number;
  readonly version: number;
}

interface ServiceSpec {
  readonly spec: APIServiceSpec;
  readonly kept: typeof AT_START | typeof ALWAYS;
}

/** The inputs of the decision. */
interface Looked {
  readonly groups: readonly ServedGroup[];
  readonly known: readonly KnownApiService[];
}

interface Kept extends Looked {
  /** Objects that differed from the desired state: these are checked again. */
  readonly tried: ReadonlySet<string>;
}

/**
 * Maintains an APIService for every group version that this server serves. Every replica does this, and each write is a
 * compare-and-swap.
 */
export class LocalServices {
  readonly #registry: Registry;
  readonly #known: ApiServices;
  readonly #label: string;
  readonly #builtIn: ReadonlyMap<string, { readonly priority: Priority | undefined }>;
  /** The desired objects of each group. They do not change while the group does not change. */
  readonly #wantedOf = new WeakMap<ServedGroup, readonly (readonly [name: string, ServiceSpec])[]>();
  /** The parsed stored objects, because each change of any group checks all of them. */
  readonly #found = new WeakMap<Item, ServiceSpec>();

  /** The groups at the last check. */
  #kept: Kept | undefined;

  constructor(registry: Registry, known: ApiServices) {
    const { naming, schema } = registry;
    this.#builtIn = new Map(
      schema.groupVersions.map(({ group, version, priority }) => [`${version}.${naming.group(group)}`, { priority }]),
    );
    this.#registry = registry;
    this.#known = known;
    this.#label = keptLabel(registry.naming);
  }

  /**
   * Creates missing objects, restores those of custom kinds, and removes those of deleted kinds. With `starting` it
   * also updates those of built-in kinds to this release. Later it leaves these alone, so that replicas of two releases
   * do not undo each other's changes.
   */
  async keep(starting = false): Promise<void> {
    const { cache, store } = this.#registry;
    const looked = { groups: this.#registry.current().groups, known: this.#known.all };
    const names = starting || this.#kept === undefined ? undefined : this.#changed(this.#kept, looked);
    const stored = this.#registry.stored('apiregistration', 'apiservices');
    const wanted = this.#wanted(names);
    let revision = 0;
    const gone: KnownApiService[] = [];
    const tried = new Set<string>();
    for (const known of looked.known) {
      const { item, object } = known;
      if (names?.has(item.name) === false) continue;
      const one = wanted.get(item.name);
      wanted.delete(item.name);
      const kept = object.metadata.labels?.[this.#label];
      const mayChange = kept === ALWAYS || (kept === AT_START && starting);
      const key = stored.keyPrefix + item.key;
      if (kept === undefined && object.spec?.service === undefined && !isFoundLocal(object)) {
        tried.add(item.name);
        const value = await ownValue(this.#registry, stored, object, local(object), { subresource: 'status' });
        const changed = await store.update(key, item.revision, value);
        if (changed.outcome === 'written') revision = changed.revision;
      }
      if (!mayChange || isBeingDeleted(object)) continue;
      if (one !== undefined && this.#matches(known, one)) continue;
      tried.add(item.name);
      if (one === undefined) gone.push(known);
      else {
        const value = await ownValue(this.#registry, stored, object, this.#object(one, object));
        const changed = await store.update(key, item.revision, value);
        if (changed.outcome === 'written') revision = changed.revision;
      }
    }
    for (const [name, one] of wanted) {
      tried.add(name);
      const metadata = { name, uid: randomUUID(), creationTimestamp: timestamp() };
      const value = await ownValue(this.#registry, stored, undefined, this.#object(one, { metadata }));
      const made = await store.create(stored.keyPrefix + name, value);
      if (made.outcome === 'written') revision = made.revision;
    }
    revision = Math.max(revision, await this.#remove(gone));
    this.#kept = { ...looked, tried };
    if (revision > 0) await cache.waitFor(revision, 1000);
  }

  /**
   * Updates the cache first. A replica that has just started may not know all definitions yet, and would remove
   * APIServices that other replicas maintain.
   */
  async #remove(gone: readonly KnownApiService[]): Promise<number> {
    if (gone.length === 0) return 0;
    await this.#registry.catchUp();
    const wanted = this.#wanted();
    const { keyPrefix } = this.#registry.stored('apiregistration', 'apiservices');
    let revision = 0;
    for (const { item } of gone.filter(({ item }) => !wanted.has(item.name))) {
      const removed = await this.#registry.store.remove(keyPrefix + item.key, item.revision);
      if (removed.outcome === 'written') revision = removed.revision;
    }
    return revision;
  }

  #matches({ item, object }: KnownApiService, one: ServiceSpec): boolean {
    if (this.#found.get(item) === one) return true;
    const isSame = object.metadata.labels?.[this.#label] === one.kept && semanticallyEqual(object.spec, one.spec);
    if (isSame) this.#found.set(item, one);
    return isSame;
  }

  /** The names of the APIServices that may now differ from the desired state. */
  #changed(before: Kept, now: Looked): Set<string> {
    const names = new Set(before.tried);
    for (const group of inOneOf(before.groups, now.groups)) for (const [name] of this.#wantedIn(group)) names.add(name);
    for (const { item } of inOneOf(before.known, now.known)) names.add(item.name);
    return names;
  }

  /** The APIServices of all group versions that this server serves, by name. With `names`, it returns only these. */
  #wanted(names?: ReadonlySet<string>): Map<string, ServiceSpec> {
    const resources = this.#registry.current();
    if (names === undefined) return new Map(resources.groups.flatMap((group) => this.#wantedIn(group)));
    return new Map(
      [...names].flatMap((name) => {
        const group = resources.group(name.slice(name.indexOf('.') + 1));
        return group === undefined ? [] : this.#wantedIn(group).filter(([one]) => one === name);
      }),
    );
  }

  #wantedIn(group: ServedGroup): readonly (readonly [name: string, ServiceSpec])[] {
    let wanted = this.#wantedOf.get(group);
    if (wanted === undefined) this.#wantedOf.set(group, (wanted = this.#wantedNow(group)));
    return wanted;
  }

  #wantedNow({ name: group, versions }: ServedGroup): readonly (readonly [name: string, ServiceSpec])[] {
    return versions.flatMap((version) => {
      const name = `${version}.${group}`;
      const own = this.#builtIn.get(name);
      if (own !== undefined && own.priority === undefined) return [];
      const priority = own?.priority ?? CUSTOM_PRIORITY;
      const spec = {
        ...(group === '' ? {} : { group }),
        version,
        groupPriorityMinimum: priority.group,
        versionPriority: priority.version,
      };
      return [[name, { kept: own === undefined ? ALWAYS : AT_START, spec }] as const];
    });
  }

  #object({ spec, kept }: ServiceSpec, old: ApiObject): ApiObject {
    const labels = { ...old.metadata.labels, [this.#label]: kept };
    return { ...old, metadata: { ...old.metadata, labels }, spec, status: { conditions: [conditionOf(old)] } };
  }
}

function available(object: APIService): APIServiceCondition | undefined {
  return object.status?.conditions?.find(({ type }) => type === 'Available');
}

function isFoundLocal(object: APIService): boolean {
  const { status, reason } = available(object) ?? {};
  return status === 'True' && reason === 'Local';
}

/** An APIService whose service was removed from its spec, with the condition of a local one. */
function local(object: APIService): APIService {
  const others = (object.status?.conditions ?? []).filter(({ type }) => type !== 'Available');
  return { ...object, status: { ...object.status, conditions: [...others, conditionOf(object)] } };
}

/** The condition of an APIService that this server serves. It keeps its earlier transition time. */
function conditionOf(object: APIService): APIServiceCondition {
  const before = available(object);
  const since = before?.status === 'True' ? before.lastTransitionTime : undefined;
  return localCondition(since ?? timestamp());
}

function isBeingDeleted({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The items that are in only one of two lists. */
function inOneOf<T>(a: readonly T[], b: readonly T[]): T[] {
  const onlyInA = new Set(a);
  const onlyInB = b.filter((one) => !onlyInA.delete(one));
  return [...onlyInA, ...onlyInB];
}
