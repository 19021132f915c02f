import type { ObjectStore } from '../../storage-etcd/object-store.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { Subject } from '../errors/status-error.ts';
import type { Naming } from '../naming/naming.ts';
import type { ApiObject } from '../schema/api-object.ts';
import type { ResourceType, Schema } from '../schema/types.ts';
import type { AdmissionChain } from './admission.ts';
import type { KindRules } from './resource-definition.ts';
import { jsonHead, type ServedResource, type StoredResource } from './served-resource.ts';
import type { WriteGuard } from './write-guard.ts';

/** Whether a resource of a group version is served (see `--runtime-config`). */
export type Enabled = (group: string, version: string, resource: string, enabledByDefault: boolean) => boolean;

export interface RegistryOptions {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly store: ObjectStore;
  readonly cache: WatchCache;
  readonly rules: ReadonlyMap<string, KindRules>;
  readonly enabled: Enabled;
  readonly admission: AdmissionChain;
  /** Absent: every write may happen whose request may. */
  readonly guard?: WriteGuard;
  /** Whether containers may have all rights of the host; missing means yes. */
  readonly allowPrivileged?: boolean;
  /** Objects of a collection that are deleted at once; missing means one. */
  readonly deleteWorkers?: number;
  /** Whether somebody sees to the finalizers that deletes leave behind; missing means yes. */
  readonly collectsGarbage?: boolean;
  /** Prefix of all keys, without a trailing slash. */
  readonly etcdPrefix: string;
}

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

/**
 * What selectors and tables need of an object, by field label: the kind's rules where it has one, else the value at
 * the path that the label spells.
 */
export function selectableFields(
  labels: readonly string[],
  rules: KindRules,
): (object: ApiObject) => Record<string, string> {
  const readers = labels.map((label) => {
    const rule = rules.selectableFields?.[label];
    return [label, rule ?? ((object: ApiObject) => textAt(object, label.split('.')))] as const;
  });
  return (object) => {
    // biome-ignore lint/plugin: its names are those of the kind, and there is one for each object
    const fields: Record<string, string> = {};
    for (const [label, read] of readers) {
      const value = read(object);
      if (value !== '') fields[label] = value;
    }
    return fields;
  };
}

function textAt(object: unknown, path: readonly string[]): string {
  let value = object;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Record<string, unknown>)[part];
  }
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

/** Finds the resource that a path names, and holds what its operations need. */
export class Registry {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly store: ObjectStore;
  readonly cache: WatchCache;
  readonly admission: AdmissionChain;
  readonly allowPrivileged: boolean;
  readonly deleteWorkers: number;
  readonly guard: WriteGuard | undefined;
  readonly etcdPrefix: string;
  /** `meta.D/v1`: the version in continue tokens. */
  readonly metaVersion: string;
  readonly groups: readonly ServedGroup[];
  readonly #served = new Map<string, ServedResource>();
  readonly #stored = new Map<string, StoredResource>();

  constructor(options: RegistryOptions) {
    this.schema = options.schema;
    this.naming = options.naming;
    this.gates = options.gates;
    this.store = options.store;
    this.cache = options.cache;
    this.admission = options.admission;
    this.allowPrivileged = options.allowPrivileged ?? true;
    this.deleteWorkers = options.deleteWorkers ?? 1;
    this.guard = options.guard;
    this.etcdPrefix = options.etcdPrefix;
    this.metaVersion = options.naming.apiVersion('meta', 'v1');
    const versions = new Map<string, string[]>();
    for (const groupVersion of options.schema.groupVersions) {
      const group = options.naming.group(groupVersion.group);
      for (const type of groupVersion.resources) {
        if (type.storage !== undefined) this.#store(type, options);
        if (!options.enabled(groupVersion.group, groupVersion.version, type.plural, groupVersion.enabledByDefault))
          continue;
        this.#serve(type, group, options);
        const list = versions.get(group) ?? [];
        if (!list.includes(type.version)) list.push(type.version);
        versions.set(group, list);
      }
    }
    this.groups = [...versions].map(([name, list]) => ({ name, versions: list }));
  }

  #store(type: ResourceType, options: RegistryOptions): StoredResource {
    const { group, plural, version } = type.storage!;
    const id = storageId(group, plural);
    const known = this.#stored.get(id);
    if (known !== undefined) return known;
    const kindType = options.schema.groupVersions
      .find((gv) => gv.group === group && gv.version === version)
      ?.resources.find((resource) => resource.plural === plural);
    if (kindType === undefined) throw new Error(`proto/: ${id} is stored as ${version}, which has no such resource`);
    const rules = options.rules.get(id) ?? { group, plural };
    const stored: StoredResource = {
      group,
      plural,
      kind: kindType.kind,
      version,
      apiVersion: options.naming.apiVersion(group, version),
      message: kindType.message,
      namespaced: kindType.namespaced,
      rules: options.collectsGarbage === false ? { ...rules, ignoresPropagation: true } : rules,
      keyPrefix: `${options.etcdPrefix}/${id}/`,
      cache: options.cache.resource(group, plural),
    };
    this.#stored.set(id, stored);
    return stored;
  }

  #serve(type: ResourceType, group: string, options: RegistryOptions): void {
    const apiVersion = options.naming.apiVersion(type.group, type.version);
    const stored = type.storage === undefined ? undefined : this.#store(type, options);
    const versionRules = stored?.rules.versions?.[versionKey(type, stored)] ?? {};
    const served: ServedResource = {
      type,
      group,
      version: type.version,
      apiVersion,
      stored,
      versionRules,
      identical: versionRules.fromStorage === undefined,
      jsonHead: jsonHead(type.kind, apiVersion),
    };
    this.#served.set(`${group}/${type.version}/${type.plural}`, served);
  }

  /** The resource of a path's group, version and resource; undefined when nothing is served there. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#served.get(`${group}/${version}/${resource}`);
  }

  /** A stored resource by its identity. Throws on unknown ones: a programming error. */
  stored(group: string, plural: string): StoredResource {
    const stored = this.#stored.get(storageId(group, plural));
    if (stored === undefined) throw new Error(`no stored resource ${storageId(group, plural)}`);
    return stored;
  }

  get allStored(): readonly StoredResource[] {
    return [...this.#stored.values()];
  }

  get allServed(): readonly ServedResource[] {
    return [...this.#served.values()];
  }

  hasGroup(group: string): boolean {
    return this.groups.some((g) => g.name === group);
  }

  hasVersion(group: string, version: string): boolean {
    return this.groups.some((g) => g.name === group && g.versions.includes(version));
  }
}

/** The key of a version's rules: the version, with its group in front where it differs from the stored one's. */
export function versionKey(type: ResourceType, stored: { group: string }): string {
  return type.group === stored.group ? type.version : `${type.group}/${type.version}`;
}

/** What error answers call a resource. */
export function subjectOf(served: ServedResource): Subject {
  return { group: served.group, resource: served.type.plural };
}
