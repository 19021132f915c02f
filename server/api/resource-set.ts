import type { ServedResource, StoredResource } from './served-resource.ts';

/** A group of the API with its served versions, the preferred one first. */
export interface ServedGroup {
  /** As in the path. */
  readonly name: string;
  readonly versions: readonly string[];
}

/** The key of a storage identity: `core/pods`. */
export function storageId(group: string, plural: string): string {
  return `${group === '' ? 'core' : group}/${plural}`;
}

const NOTHING: readonly ServedResource[] = [];

/**
 * Everything that is served at one time. It never changes: who holds one sees the same to the end. What has stayed
 * the same since the set before (groups, resources of a version) is the same object, so that what was made of it can be
 * kept.
 */
export class ResourceSet {
  readonly groups: readonly ServedGroup[];
  /** In discovery order. */
  readonly allServed: readonly ServedResource[];
  readonly allStored: readonly StoredResource[];
  readonly #served = new Map<string, ServedResource>();
  readonly #stored = new Map<string, StoredResource>();
  readonly #groups = new Map<string, ServedGroup>();
  readonly #versions = new Map<string, readonly ServedResource[]>();
  /** What was found last: a request asks more than once, and the next one often for the same. */
  #last: ServedResource | undefined;

  /** Of resources with the same path the first counts. */
  constructor(served: readonly ServedResource[], stored: readonly StoredResource[], before?: ResourceSet) {
    const byVersion = new Map<string, ServedResource[]>();
    const versions = new Map<string, string[]>();
    for (const one of served) {
      const key = pathKey(one.group, one.version, one.type.plural);
      if (this.#served.has(key)) continue;
      this.#served.set(key, one);
      const groupVersion = `${one.group}/${one.version}`;
      const there = byVersion.get(groupVersion);
      if (there !== undefined) {
        there.push(one);
        continue;
      }
      byVersion.set(groupVersion, [one]);
      const known = versions.get(one.group);
      if (known === undefined) versions.set(one.group, [one.version]);
      else known.push(one.version);
    }
    for (const [groupVersion, resources] of byVersion)
      this.#versions.set(groupVersion, kept(before?.inVersion(resources[0]!.group, resources[0]!.version), resources));
    for (const [name, list] of versions) {
      const old = before?.group(name);
      this.#groups.set(
        name,
        old !== undefined && kept(old.versions, list) === old.versions ? old : { name, versions: list },
      );
    }
    for (const one of stored) this.#stored.set(storageId(one.group, one.plural), one);
    this.groups = kept(before?.groups, [...this.#groups.values()]);
    this.allServed = [...this.#served.values()];
    this.allStored = [...this.#stored.values()];
  }

  /** The resource of a path's group, version and resource; undefined when nothing is served there. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    const last = this.#last;
    if (last?.type.plural === resource && last.group === group && last.version === version) return last;
    const found = this.#served.get(pathKey(group, version, resource));
    if (found !== undefined) this.#last = found;
    return found;
  }

  /** A stored resource by its identity, its group in short form; undefined when there is none. */
  stored(group: string, plural: string): StoredResource | undefined {
    return this.#stored.get(storageId(group, plural));
  }

  group(name: string): ServedGroup | undefined {
    return this.#groups.get(name);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#versions.has(`${group}/${version}`);
  }

  /** The resources of a group version; the same list as long as they stay the same. Empty for unknown ones. */
  inVersion(group: string, version: string): readonly ServedResource[] {
    return this.#versions.get(`${group}/${version}`) ?? NOTHING;
  }

  /** The stored resources whose objects are of a kind. */
  ofKind(apiVersion: string, kind: string): readonly ServedResource[] {
    const slash = apiVersion.lastIndexOf('/');
    return this.inVersion(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)).filter(
      ({ stored, type }) => stored !== undefined && type.kind === kind,
    );
  }
}

function pathKey(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}

function kept<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before?.length === now.length && before.every((one, i) => one === now[i]) ? before : now;
}
