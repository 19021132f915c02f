import type { Naming } from '#base/naming/naming.ts';
import { versionKey } from '#schema/conversion/version-rules.ts';
import { keyPrefixOf, storageId } from '#schema/descriptors/storage-id.ts';
import type { ResourceType, Schema } from '#schema/descriptors/types.ts';
import type { KindRules } from '../api/resource-definition.ts';
import { jsonHead, type ServedResource, type StoredResource } from '../api/served-resource.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { VerbOptions } from '../config/verb-options.ts';
import { BuiltInReading, VirtualReading } from './built-in-reading.ts';
import { MessageModel } from './message-model.ts';
import { hiddenFields, type OtherReleases } from './other-releases.ts';

/** Whether a resource of a group version is served (see `--runtime-config`). */
export type Enabled = (group: string, version: string, resource: string, enabledByDefault: boolean) => boolean;

/** The inputs of the built-in resources. */
export interface BuiltInParts {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly cache: WatchCache;
  /** Absent means that no other release has written to the store. */
  readonly others?: OtherReleases | undefined;
  /** The keys are storage identities. */
  readonly rules: ReadonlyMap<string, KindRules>;
  readonly enabled: Enabled;
  readonly options: Pick<VerbOptions, 'collectsGarbage'>;
  /** Prefix of all keys, without a trailing slash. */
  readonly etcdPrefix: string;
}

type ModelParts = Pick<BuiltInParts, 'schema' | 'naming' | 'gates'>;

/** The built-in resources, as served and as stored resources. */
export interface BuiltInResources {
  readonly served: readonly ServedResource[];
  readonly stored: readonly StoredResource[];
}

/** All stored resources of the release, and the served ones among them. */
export function builtInResources(parts: BuiltInParts): BuiltInResources {
  const stored = new Map<string, StoredResource>();
  const versions = new Map<StoredResource, ServedResource[]>();
  const served: ServedResource[] = [];
  for (const { group, version, enabledByDefault, resources } of parts.schema.groupVersions) {
    for (const type of resources) {
      const storage = type.storage === undefined ? undefined : storedAs(type, parts, stored);
      if (!type.served || !parts.enabled(group, version, type.plural, enabledByDefault)) continue;
      served.push(serve(type, storage, parts, versions));
    }
  }
  return { served, stored: [...stored.values()] };
}

function storedAs(type: ResourceType, parts: BuiltInParts, known: Map<string, StoredResource>): StoredResource {
  const { group, plural, version } = type.storage!;
  const id = storageId(group, plural);
  const there = known.get(id);
  if (there !== undefined) return there;
  const kindType = parts.schema.groupVersions
    .find((gv) => gv.group === group && gv.version === version)
    ?.resources.find((resource) => resource.plural === plural);
  if (kindType === undefined) throw new Error(`proto/: ${id} is stored as ${version}, which has no such resource`);
  const rules = parts.rules.get(id) ?? { group, plural };
  const models = modelsOf(rules, parts);
  const stored: StoredResource = {
    group,
    plural,
    kind: kindType.kind,
    version,
    apiVersion: parts.naming.apiVersion(group, version),
    model: models.get(versionKey(kindType, { group }))!,
    models,
    namespaced: kindType.namespaced,
    rules: parts.options.collectsGarbage ? rules : { ...rules, ignoresPropagation: true },
    keyPrefix: keyPrefixOf(parts.etcdPrefix, group, plural),
    cache: parts.cache.resource(group, plural),
    hidden: parts.others && hiddenFields(parts.others, kindType.message, parts.naming),
  };
  known.set(id, stored);
  return stored;
}

/** The models of all versions in which objects of a stored kind may be stored, by {@link versionKey}. */
export function modelsOf(rules: KindRules, parts: ModelParts): ReadonlyMap<string, MessageModel> {
  const { group, plural } = rules;
  return new Map(
    parts.schema.groupVersions
      .flatMap(({ resources }) => resources)
      .filter(({ storage }) => storage?.group === group && storage.plural === plural)
      .map((each) => [versionKey(each, { group }), modelIn(each, rules, parts)]),
  );
}

function modelIn(type: ResourceType, rules: KindRules, parts: ModelParts): MessageModel {
  const defaults = rules.versions?.[versionKey(type, rules)]?.defaults;
  const context = { naming: parts.naming, gates: parts.gates, release: parts.schema.release };
  return new MessageModel(type.message, defaults && ((object) => defaults(object, context)));
}

function serve(
  type: ResourceType,
  stored: StoredResource | undefined,
  parts: BuiltInParts,
  versions: Map<StoredResource, ServedResource[]>,
): ServedResource {
  const rules = stored?.rules.versions?.[versionKey(type, stored)] ?? {};
  const apiVersion = parts.naming.apiVersion(type.group, type.version);
  const model = stored?.models?.get(versionKey(type, stored)) ?? new MessageModel(type.message);
  const siblings = (stored && versions.get(stored)) ?? [];
  if (stored !== undefined) versions.set(stored, siblings);
  const served: ServedResource = {
    type,
    group: parts.naming.group(type.group),
    version: type.version,
    apiVersion,
    stored,
    model,
    reading:
      stored === undefined
        ? new VirtualReading(model)
        : new BuiltInReading(parts, stored, { apiVersion, model, versionRules: rules }),
    versions: siblings,
    versionRules: rules,
    jsonHead: jsonHead(type.kind, apiVersion),
  };
  siblings.push(served);
  return served;
}
