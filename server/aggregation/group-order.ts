import type { Naming } from '#base/naming/naming.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import { compareVersions } from '#schema/values/compare-versions.ts';
import type { ServedGroup, ServedResources } from '../api/served-resources.ts';
import type { VersionsElsewhere } from '../api/versions-elsewhere.ts';
import type { ApiServices } from './api-services.ts';
import { CUSTOM_PRIORITY } from './local-services.ts';
import type { RemoteDiscovery } from './remote-discovery.ts';

/** One group version with the priorities that decide its position. */
export interface RankedVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The groups in the order of discovery. They are sorted by the highest group priority among their versions, then by the
 * name of the APIService. The versions of a group are sorted by their own priority, then by the preference of clients.
 */
export function orderedGroups(versions: readonly RankedVersion[]): ServedGroup[] {
  const ranked = [...versions].sort(
    (a, b) => b.groupPriority - a.groupPriority || compareText(`${a.version}.${a.group}`, `${b.version}.${b.group}`),
  );
  const groups = new Map<string, RankedVersion[]>();
  for (const one of ranked) {
    const list = groups.get(one.group);
    if (list === undefined) groups.set(one.group, [one]);
    else list.push(one);
  }
  return [...groups].map(([name, list]) => ({
    name,
    versions: list
      .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
      .map(({ version }) => version),
  }));
}

/** The place of a group version without an APIService. */
export type DefaultPriority = (group: string, version: string) => { readonly group: number; readonly version: number };

/**
 * The priorities of groups, as if each group already had its APIService. The group of APIServices itself comes first.
 */
export function defaultPriorities(schema: Schema, naming: Naming): DefaultPriority {
  const builtIn = new Map(
    schema.groupVersions.map(({ group, version, priority }) => [`${version}.${naming.group(group)}`, priority]),
  );
  const own = naming.group('apiregistration');
  return (group, version) => {
    if (group === own) return { group: Number.POSITIVE_INFINITY, version: 1 };
    return builtIn.get(`${version}.${group}`) ?? CUSTOM_PRIORITY;
  };
}

/** The groups that this server and others serve, in the order of the APIServices. */
export class GroupOrder {
  readonly #services: ApiServices;
  readonly #priority: DefaultPriority;
  readonly #discovery: Pick<RemoteDiscovery, 'published'>;
  readonly #keptLabel: string;
  #of: { readonly resources: ServedResources; readonly services: ApiServices['all'] } | undefined;
  #groups: readonly ServedGroup[] = [];
  #byName: ReadonlyMap<string, ServedGroup> = new Map();

  /** @param keptLabel the label of APIServices for local versions */
  constructor(
    services: ApiServices,
    priority: DefaultPriority,
    discovery: Pick<RemoteDiscovery, 'published'>,
    keptLabel: string,
  ) {
    this.#keptLabel = keptLabel;
    this.#services = services;
    this.#priority = priority;
    this.#discovery = discovery;
  }

  /** Returns the groups. It is the same list, with the same groups, until one of them changes. */
  groups(resources: ServedResources): readonly ServedGroup[] {
    const services = this.#services.all;
    if (this.#of?.resources === resources && this.#of.services === services) return this.#groups;
    this.#of = { resources, services };
    const ranked = this.#rank(resources);
    const groups = orderedGroups(ranked).map((group) => {
      const before = this.#byName.get(group.name);
      return before !== undefined && sameVersions(before, group) ? before : group;
    });
    const same = groups.length === this.#groups.length && groups.every((group, i) => group === this.#groups[i]);
    if (!same) this.#groups = groups;
    this.#byName = new Map(groups.map((group) => [group.name, group]));
    return this.#groups;
  }

  group(resources: ServedResources, name: string): ServedGroup | undefined {
    this.groups(resources);
    return this.#byName.get(name);
  }

  /** The known versions of other servers. */
  elsewhere(): VersionsElsewhere {
    return this.#discovery.published;
  }

  #rank(resources: ServedResources): RankedVersion[] {
    const ranked = new Map<string, RankedVersion>();
    for (const { name: group, versions } of resources.groups) {
      for (const version of versions) {
        const { group: groupPriority, version: versionPriority } = this.#priority(group, version);
        ranked.set(`${version}.${group}`, { group, version, groupPriority, versionPriority });
      }
    }
    for (const { item, object } of this.#services.all) {
      const { group = '', version = '', groupPriorityMinimum, versionPriority, service } = object.spec ?? {};
      // An automatic APIService is listed only while the server serves its version. All other APIServices are always
      // listed.
      const isKept = object.metadata.labels?.[this.#keptLabel] !== undefined;
      if (service === undefined && isKept && !ranked.has(item.name)) continue;
      ranked.set(item.name, {
        group,
        version,
        groupPriority: groupPriorityMinimum ?? 0,
        versionPriority: versionPriority ?? 0,
      });
    }
    return [...ranked.values()];
  }
}

function sameVersions(a: ServedGroup, b: ServedGroup): boolean {
  return a.versions.length === b.versions.length && a.versions.every((version, i) => version === b.versions[i]);
}
