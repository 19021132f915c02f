import { GroupResources, kept, type ServedGroup } from './group-resources.ts';
import type { ServedResource, StoredResource } from './served-resource.ts';

export type { ServedGroup } from './group-resources.ts';

/** The key of a storage identity: `core/pods`. */
export function storageId(group: string, plural: string): string {
  return `${group === '' ? 'core' : group}/${plural}`;
}

const NOTHING: readonly ServedResource[] = [];

/** What is defined at run time in one group, its resources in discovery order. */
export interface DefinedResources {
  /** As in the path. */
  readonly group: string;
  /** In short form, as stored resources have it. */
  readonly short: string;
  readonly served: readonly ServedResource[];
  readonly stored: readonly StoredResource[];
}

/**
 * Everything that is served at one time. It never changes: who holds one sees the same to the end. What has stayed
 * the same since the set before (groups, resources of a version) is the same object, so that what was made of it can be
 * kept.
 */
export class ResourceSet {
  readonly groups: readonly ServedGroup[];
  readonly #own: ReadonlyMap<string, GroupResources>;
  readonly #ownStored: ReadonlyMap<string, StoredResource>;
  readonly #byGroup: ReadonlyMap<string, GroupResources>;
  readonly #defined: ReadonlyMap<string, DefinedResources>;
  /** Made of definitions; known by them, so that a set costs what has changed since the one before. */
  readonly #made: WeakMap<DefinedResources, GroupResources>;
  /** What was found last: a request asks more than once, and the next one often for the same. */
  #last: ServedResource | undefined;

  /** Of resources with the same path the first counts. */
  constructor(served: readonly ServedResource[], stored: readonly StoredResource[]);
  constructor(before: ResourceSet, defined: readonly DefinedResources[]);
  constructor(
    first: readonly ServedResource[] | ResourceSet,
    second: readonly StoredResource[] | readonly DefinedResources[],
  ) {
    if (first instanceof ResourceSet) {
      const defined = second as readonly DefinedResources[];
      this.#own = first.#own;
      this.#ownStored = first.#ownStored;
      this.#made = first.#made;
      this.#byGroup = this.#withDefined(first, defined);
      this.#defined = new Map(defined.map((one) => [one.short, one]));
      this.groups = kept(first.groups, groupsOf(this.#byGroup));
      return;
    }
    this.#own = this.#byGroup = byGroup(first);
    this.#ownStored = new Map(
      (second as readonly StoredResource[]).map((one) => [storageId(one.group, one.plural), one]),
    );
    this.#defined = new Map();
    this.#made = new WeakMap();
    this.groups = groupsOf(this.#byGroup);
  }

  #withDefined(before: ResourceSet, defined: readonly DefinedResources[]): Map<string, GroupResources> {
    const all = new Map(this.#own);
    for (const one of defined) {
      const { group } = one;
      let made = this.#made.get(one);
      if (made === undefined) {
        const own = this.#own.get(group)?.served ?? NOTHING;
        made = new GroupResources(group, [...own, ...one.served], before.#byGroup.get(group));
        this.#made.set(one, made);
      }
      all.set(group, made);
    }
    return all;
  }

  get allStored(): readonly StoredResource[] {
    return [...this.#ownStored.values(), ...[...this.#defined.values()].flatMap(({ stored }) => stored)];
  }

  /** The resource of a path's group, version and resource; undefined when nothing is served there. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    const last = this.#last;
    if (last?.type.plural === resource && last.group === group && last.version === version) return last;
    const found = this.#byGroup.get(group)?.find(version, resource);
    if (found !== undefined) this.#last = found;
    return found;
  }

  /** A stored resource by its identity, its group in short form; undefined when there is none. */
  stored(group: string, plural: string): StoredResource | undefined {
    return (
      this.#ownStored.get(storageId(group, plural)) ??
      this.#defined.get(group)?.stored.find((stored) => stored.plural === plural)
    );
  }

  group(name: string): ServedGroup | undefined {
    return this.#byGroup.get(name)?.group;
  }

  hasVersion(group: string, version: string): boolean {
    return this.#byGroup.get(group)?.inVersion(version) !== undefined;
  }

  /** The resources of a group version; the same list as long as they stay the same. Empty for unknown ones. */
  inVersion(group: string, version: string): readonly ServedResource[] {
    return this.#byGroup.get(group)?.inVersion(version) ?? NOTHING;
  }

  /** The stored resources whose objects are of a kind. */
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
