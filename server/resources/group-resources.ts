import { compareVersions } from '#schema/values/compare-versions.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { ServedGroup } from '../api/served-resources.ts';

/**
 * The served resources of one group. It never changes. Parts that are equal to the previous state (the group, the
 * resources of a version) are the same objects.
 */
export class GroupResources {
  readonly group: ServedGroup;
  /** The resources in the order of discovery. */
  readonly served: readonly ServedResource[];
  readonly #byPath = new Map<string, ServedResource>();
  readonly #versions = new Map<string, readonly ServedResource[]>();

  /** If several resources have the same path, the first is used. */
  constructor(name: string, served: readonly ServedResource[], before?: GroupResources) {
    const byVersion = new Map<string, ServedResource[]>();
    for (const one of served) {
      const key = pathKey(one.version, one.type.plural);
      if (this.#byPath.has(key)) continue;
      this.#byPath.set(key, one);
      const there = byVersion.get(one.version);
      if (there === undefined) byVersion.set(one.version, [one]);
      else there.push(one);
    }
    for (const [version, resources] of byVersion)
      this.#versions.set(version, kept(before?.inVersion(version), resources));
    const versions = [...byVersion.keys()];
    const old = before?.group;
    this.group = old !== undefined && kept(old.versions, versions) === old.versions ? old : { name, versions };
    this.served = [...this.#byPath.values()];
  }

  find(version: string, resource: string): ServedResource | undefined {
    return this.#byPath.get(pathKey(version, resource));
  }

  /** The resources of a version, if it is served. */
  inVersion(version: string): readonly ServedResource[] | undefined {
    return this.#versions.get(version);
  }
}

function pathKey(version: string, resource: string): string {
  return `${version}/${resource}`;
}

/** The new list, or the earlier list if both have the same elements. */
export function kept<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before?.length === now.length && before.every((one, i) => one === now[i]) ? before : now;
}

/** The order of resources in a group: first by the preference of versions, then by name. */
export function byVersion(a: ServedResource, b: ServedResource): number {
  return compareVersions(a.version, b.version) || (a.type.plural < b.type.plural ? -1 : 1);
}
