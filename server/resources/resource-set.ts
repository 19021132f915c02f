import { storageId } from '#schema/descriptors/storage-id.ts';
import type { ServedResource, StoredResource } from '../api/served-resource.ts';
import type { ServedGroup, ServedResources } from '../api/served-resources.ts';
import { GroupResources, kept } from './group-resources.ts';

const NOTHING: readonly ServedResource[] = [];

/** The custom resources of one group, in discovery order. */
export interface DefinedResources {
  /** The name in the form of the path. */
  readonly group: string;
  /** The group in its short form, which stored resources have. */
  readonly short: string;
  readonly served: readonly ServedResource[];
  readonly stored: readonly StoredResource[];
}

/** The built-in resources, and results that were computed from definitions. */
interface Own {
  readonly groups: ReadonlyMap<string, GroupResources>;
  readonly stored: ReadonlyMap<string, StoredResource>;
  /** Results by definition, so that a new set costs only the changed parts. */
  readonly made: WeakMap<DefinedResources, GroupResources>;
}

/**
 * Everything that is served at one moment. It never changes, so a caller always sees the same state. Parts that are
 * equal to the previous set (groups, resources of a version) are the same objects, so results computed from them can be
 * kept.
 */
export class ResourceSet implements ServedResources {
  readonly groups: readonly ServedGroup[];
  readonly #own: Own;
  readonly #byGroup: ReadonlyMap<string, GroupResources>;
  readonly #defined: ReadonlyMap<string, DefinedResources>;
  /** The last result. A request asks more than once, and the next request often asks for the same resource. */
  #last: ServedResource | undefined;

  private constructor(
    own: Own,
    all: ReadonlyMap<string, GroupResources>,
    defined: readonly DefinedResources[],
    groups: readonly ServedGroup[],
  ) {
    this.#own = own;
    this.#byGroup = all;
    this.#defined = new Map(defined.map((one) => [one.short, one]));
    this.groups = groups;
  }

  /** The resources before any definition. If several have the same path, the first is used. */
  static of(served: readonly ServedResource[], stored: readonly StoredResource[]): ResourceSet {
    const groups = byGroup(served);
    const own = {
      groups,
      stored: new Map(stored.map((one) => [storageId(one.group, one.plural), one])),
      made: new WeakMap(),
    };
    return new ResourceSet(own, groups, [], groupsOf(groups));
  }

  /** The next set. It has the same built-in groups, and new custom resources in place of the old ones. */
  withDefined(defined: readonly DefinedResources[]): ResourceSet {
    const { groups, made } = this.#own;
    const all = new Map(groups);
    for (const one of defined) {
      const { group } = one;
      let resources = made.get(one);
      if (resources === undefined) {
        const own = groups.get(group)?.served ?? NOTHING;
        resources = new GroupResources(group, [...own, ...one.served], this.#byGroup.get(group));
        made.set(one, resources);
      }
      all.set(group, resources);
    }
    return new ResourceSet(this.#own, all, defined, kept(this.groups, groupsOf(all)));
  }

  get allStored(): readonly StoredResource[] {
    return [...this.#own.stored.values(), ...[...this.#defined.values()].flatMap(({ stored }) => stored)];
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    const last = this.#last;
    if (last?.type.plural === resource && last.group === group && last.version === version) return last;
    const found = this.#byGroup.get(group)?.find(version, resource);
    if (found !== undefined) this.#last = found;
    return found;
  }

  stored(group: string, plural: string): StoredResource | undefined {
    return (
      this.#own.stored.get(storageId(group, plural)) ??
      this.#defined.get(group)?.stored.find((stored) => stored.plural === plural)
    );
  }

  group(name: string): ServedGroup | undefined {
    return this.#byGroup.get(name)?.group;
  }

  hasVersion(group: string, version: string): boolean {
    return this.#byGroup.get(group)?.inVersion(version) !== undefined;
  }

  inVersion(group: string, version: string): readonly ServedResource[] {
    return this.#byGroup.get(group)?.inVersion(version) ?? NOTHING;
  }

  ofKind(apiVersion: string, kind: string): readonly ServedResource[] {
    const slash = apiVersion.lastIndexOf('/');
    return this.inVersion(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)).filter(
      ({ stored, type }) => stored !== undefined && type.kind === kind,
    );
  }
}

function byGroup(served: readonly ServedResource[]): Map<string, GroupResources> {
  const lists = new Map<string, ServedResource[]>();
  for (const one of served) {
    const there = lists.get(one.group);
    if (there === undefined) lists.set(one.group, [one]);
    else there.push(one);
  }
  return new Map([...lists].map(([name, list]) => [name, new GroupResources(name, list)]));
}

function groupsOf(resources: ReadonlyMap<string, GroupResources>): ServedGroup[] {
  const groups: ServedGroup[] = [];
  for (const { group } of resources.values()) groups.push(group);
  return groups;
}
