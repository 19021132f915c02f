import type { Naming } from '#base/naming/naming.ts';
import type { VersionRules } from '#schema/conversion/version-rules.ts';
import { keyPrefixOf } from '#schema/descriptors/storage-id.ts';
import type { ResourceShape } from '#schema/descriptors/types.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { KindRules, TableForm } from '../api/resource-definition.ts';
import type { ScalePaths } from '../api/scale-paths.ts';
import { jsonHead, type ServedResource, type StoredResource } from '../api/served-resource.ts';
import type { StoredReading } from '../api/stored-reading.ts';
import type { WriteCondition } from '../api/write-condition.ts';
import type { ResourceCache } from '../cache/resource-cache.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import { CustomReading } from './custom-reading.ts';
import type { CustomResource, CustomVersion } from './custom-resource.ts';
import { selectableFields } from './selectable-fields.ts';

/** The parts of the server that a custom resource uses. */
export interface CustomEnvironment {
  readonly naming: Naming;
  readonly cache: WatchCache;
  readonly etcdPrefix: string;
}

const NO_RULES: VersionRules = {};

/** A custom resource in its served form. Models and caches are made at their first use. */
export class CustomServing {
  readonly stored: StoredResource;
  /** The given served versions. */
  readonly served: readonly ServedResource[];

  constructor(resource: CustomResource, environment: CustomEnvironment) {
    const version = resource.versions.find(({ type }) => type.version === resource.storageVersion);
    if (version === undefined)
      throw new Error(`${resource.plural}.${resource.group} has no ${resource.storageVersion}`);
    this.stored = new CustomStored(resource, version, environment);
    const served: ServedResource[] = [];
    for (const one of resource.versions)
      if (one.served) served.push(new CustomServed(resource, one, this.stored, served, environment.cache));
    this.served = served;
    const labels = [...new Set(served.flatMap(({ type }) => type.selectableFields))].sort();
    const { group, plural, rules } = this.stored;
    environment.cache.selectBy(group, plural, labels, selectableFields(labels, rules));
  }
}

class CustomStored implements StoredResource {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly rules: KindRules;
  readonly keyPrefix: string;
  readonly condition: WriteCondition | undefined;
  readonly #version: CustomVersion;
  readonly #cache: WatchCache;

  constructor(resource: CustomResource, version: CustomVersion, { naming, cache, etcdPrefix }: CustomEnvironment) {
    this.group = naming.shortForm(resource.group);
    this.plural = resource.plural;
    this.kind = resource.kind;
    this.version = resource.storageVersion;
    this.apiVersion = `${resource.group}/${resource.storageVersion}`;
    this.namespaced = resource.namespaced;
    this.rules = { ...resource.rules, group: this.group, plural: this.plural };
    this.keyPrefix = keyPrefixOf(etcdPrefix, this.group, this.plural);
    this.condition = resource.condition;
    this.#version = version;
    this.#cache = cache;
  }

  get model(): ObjectModel {
    return this.#version.model();
  }

  get cache(): ResourceCache {
    return this.#cache.resource(this.group, this.plural);
  }
}

class CustomServed implements ServedResource {
  readonly isCustom = true;
  readonly type: ResourceShape;
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly stored: StoredResource;
  readonly versions: readonly ServedResource[];
  readonly versionRules = NO_RULES;
  readonly table: TableForm | undefined;
  readonly scale: ScalePaths | undefined;
  readonly #resource: CustomResource;
  readonly #version: CustomVersion;
  readonly #cache: WatchCache;
  #reading: CustomReading | undefined;
  #jsonHead: Buffer | undefined;

  constructor(
    resource: CustomResource,
    version: CustomVersion,
    stored: StoredResource,
    versions: readonly ServedResource[],
    cache: WatchCache,
  ) {
    this.type = version.type;
    this.group = resource.group;
    this.version = version.type.version;
    this.apiVersion = `${resource.group}/${version.type.version}`;
    this.stored = stored;
    this.versions = versions;
    this.table = version.table;
    this.scale = version.scale;
    this.#resource = resource;
    this.#version = version;
    this.#cache = cache;
  }

  get model(): ObjectModel {
    return this.#version.model();
  }

  get reading(): StoredReading {
    this.#reading ??= new CustomReading({
      resource: this.#resource,
      apiVersion: this.apiVersion,
      storedVersion: this.stored.apiVersion,
      model: this.model,
      cache: this.#cache,
    });
    return this.#reading;
  }

  get jsonHead(): Buffer {
    this.#jsonHead ??= jsonHead(this.#resource.kind, this.apiVersion);
    return this.#jsonHead;
  }
}
