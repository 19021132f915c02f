import type { Subject } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import type { AdmissionChain } from '../api/admission.ts';
import type { KindRules } from '../api/resource-definition.ts';
import {
  hasStored,
  type ServedResource,
  type StoredResource,
  type StoredServedResource,
} from '../api/served-resource.ts';
import type { WriteGuard } from '../api/write-guard.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { VerbOptions } from '../config/verb-options.ts';
import { type BuiltInResources, builtInResources, type Enabled } from './built-in-resources.ts';
import type { CustomGroup, CustomResource } from './custom-resource.ts';
import { CustomServing } from './custom-serving.ts';
import { byVersion } from './group-resources.ts';
import { ListCounts } from './list-counts.ts';
import { type DefinedResources, ResourceSet } from './resource-set.ts';

/** The inputs of the registry. */
export interface RegistryParts {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly store: ObjectStore;
  readonly cache: WatchCache;
  readonly rules: ReadonlyMap<string, KindRules>;
  readonly enabled: Enabled;
  /**
   * The built-in resources from the same parts, if they are read before there is a registry. If it is absent, the
   * registry makes them.
   */
  readonly builtIn?: BuiltInResources;
  /** Makes the chain for the writes of the registry. The chain may read the content of the registry. */
  readonly admission: (registry: Registry) => AdmissionChain;
  /** Absent means that there is no further check of the writes of an allowed request. */
  readonly guard?: WriteGuard;
  readonly options: VerbOptions;
  /** Prefix of all keys, without a trailing slash. */
  readonly etcdPrefix: string;
}

/** The served resources, and the inputs of their operations. */
export class Registry {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly store: ObjectStore;
  readonly cache: WatchCache;
  readonly admission: AdmissionChain;
  readonly options: VerbOptions;
  readonly guard: WriteGuard | undefined;
  readonly etcdPrefix: string;
  /** The version in continue tokens: `meta.D/v1`. */
  readonly metaVersion: string;
  readonly lists = new ListCounts();
  readonly #listeners = new Set<() => void>();
  readonly #builtIn: BuiltInResources;
  readonly #ownSet: ResourceSet;
  readonly #builtInGroups: ReadonlySet<string>;
  /** Results computed from definitions, kept as long as the definitions exist. */
  readonly #made = new WeakMap<CustomResource, CustomServing>();
  readonly #madeOfGroups = new WeakMap<CustomGroup, DefinedResources>();
  #custom: readonly CustomGroup[] | (() => readonly CustomGroup[]) = [];
  #current: ResourceSet;
  #stale = false;
  #learnDefinitions: (() => Promise<void>) | undefined;

  constructor(parts: RegistryParts) {
    this.schema = parts.schema;
    this.naming = parts.naming;
    this.gates = parts.gates;
    this.store = parts.store;
    this.cache = parts.cache;
    this.options = parts.options;
    this.guard = parts.guard;
    this.etcdPrefix = parts.etcdPrefix;
    this.metaVersion = parts.naming.apiVersion('meta', 'v1');
    this.#builtIn = parts.builtIn ?? builtInResources(parts);
    this.#ownSet = ResourceSet.of(this.#builtIn.served, this.#builtIn.stored);
    this.#builtInGroups = new Set([...this.#builtIn.served, ...this.#builtIn.stored].map(({ group }) => group));
    this.#current = this.#ownSet;
    this.admission = parts.admission(this);
  }

  /**
   * The currently served resources. A request gets them once, at its beginning (`RequestContext.resources`), and uses
   * them to its end.
   */
  current(): ResourceSet {
    if (!this.#stale) return this.#current;
    this.#stale = false;
    const custom = typeof this.#custom === 'function' ? this.#custom() : this.#custom;
    const defined = custom.map((group) => this.#definedIn(group));
    defined.sort((a, b) => (a.group < b.group ? -1 : 1));
    this.#current = this.#current.withDefined(defined);
    return this.#current;
  }

  /**
   * Replaces all resources that are defined at run time. The function is called when the set is next needed, so several
   * changes together cost as much as one. Each group must occur once. A built-in resource with the same path or storage
   * identity takes precedence.
   */
  setCustom(groups: readonly CustomGroup[] | (() => readonly CustomGroup[])): void {
    this.#custom = groups;
    this.#stale = true;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls the listener whenever `current()` may return another set. The caller must handle errors of the listener.
   * Returns the function that removes the listener.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sets the function that {@link catchUp} calls. The part of the server that defines resources at run time uses this.
   *
   * @throws Error if a function is already set
   */
  learnDefinitionsBy(learn: () => Promise<void>): void {
    if (this.#learnDefinitions !== undefined) throw new Error('definitions are learned already');
    this.#learnDefinitions = learn;
  }

  /**
   * Resolves when `current()` is at least as new as this call. A caller waits for it before it reports a resource as
   * unknown. Undefined if no resources are defined at run time. Rejects with a StatusError.
   */
  catchUp(): Promise<void> | undefined {
    return this.#learnDefinitions?.();
  }

  /** The present result of {@link ResourceSet.find}, for built-in resources, because these never change. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#ownSet.find(group, version, resource) ?? this.current().find(group, version, resource);
  }

  /**
   * Like {@link find}, for a built-in resource with stored objects.
   * @throws Error if it does not exist, which is a programming error
   */
  findStored(group: string, version: string, resource: string): StoredServedResource {
    const served = this.find(group, version, resource);
    if (served === undefined || !hasStored(served))
      throw new Error(`${resource} of ${group}/${version} are not stored here`);
    return served;
  }

  /** Whether the resources of a group are built in. Users cannot define others in it. */
  isBuiltIn(group: string): boolean {
    return this.#builtInGroups.has(group);
  }

  /**
   * A stored resource by its identity.
   *
   * @throws Error for an unknown one, which is a programming error
   */
  stored(group: string, plural: string): StoredResource {
    const stored = this.#ownSet.stored(group, plural) ?? this.current().stored(group, plural);
    if (stored === undefined) throw new Error(`no stored resource ${storageId(group, plural)}`);
    return stored;
  }

  #definedIn(custom: CustomGroup): DefinedResources {
    let defined = this.#madeOfGroups.get(custom);
    if (defined === undefined) {
      const made = custom.resources.map((resource) => this.#servingOf(resource));
      defined = {
        group: custom.name,
        short: this.naming.shortForm(custom.name),
        served: made.flatMap(({ served }) => served).sort(byVersion),
        stored: made.map(({ stored }) => stored),
      };
      this.#madeOfGroups.set(custom, defined);
    }
    return defined;
  }

  #servingOf(resource: CustomResource): CustomServing {
    let made = this.#made.get(resource);
    if (made === undefined) this.#made.set(resource, (made = new CustomServing(resource, this)));
    return made;
  }
}

/** The group and name of a resource in error answers. */
export function subjectOf(served: ServedResource): Subject {
  return { group: served.group, resource: served.type.plural };
}
