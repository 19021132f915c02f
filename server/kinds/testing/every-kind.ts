import assert from 'node:assert/strict';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { type VersionRules, versionKey } from '#schema/conversion/version-rules.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { normalize } from '#schema/objects/normalize.ts';
import { servicesOf } from '../../allocation/service-allocation.ts';
import { ServiceRanges } from '../../allocation/service-ranges.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import { kindRules } from '../index.ts';

const naming = createNaming('orch');

/** A kind in one of its versions, with the rules of both. */
export interface KindVersion {
  readonly title: string;
  readonly message: MessageType;
  readonly stored: MessageType;
  readonly kind: KindRules;
  readonly version: VersionRules;
  readonly context: WriteContext;
}

/** The rules of all kinds in a release. */
export function rulesOf(release: Release): ReadonlyMap<string, KindRules> {
  const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });
  return kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 3600 });
}

/** Every stored kind of a release, in every served version, with the default feature gates or those in `set`. */
export function* everyKind(
  release = defaultRelease,
  set: Readonly<Record<string, boolean>> = {},
): Generator<KindVersion> {
  const schema = loadSchema(naming, release);
  const gates = createFeatureGates(new Map(Object.entries(set)), release);
  const rules = rulesOf(release);
  for (const { resources } of schema.groupVersions) {
    for (const resource of resources) {
      const { storage } = resource;
      if (storage === undefined || !resource.served) continue;
      const kind = rules.get(storageId(storage.group, storage.plural));
      assert.ok(kind !== undefined, resource.message.name);
      const context = {
        naming,
        gates,
        release,
        user: { name: 'jane', uid: 'u1', groups: ['dev'], extra: {} },
        dryRun: false,
        now: '2020-01-01T00:00:00Z',
        group: resource.group,
        version: resource.version,
        warn: () => {},
      };
      yield {
        title: `${resource.message.name} of ${release.name}`,
        message: resource.message,
        stored: schema.message(`${storage.group === '' ? 'core' : storage.group}.${storage.version}.${resource.kind}`),
        kind,
        version: kind.versions?.[versionKey(resource, kind)] ?? {},
        context,
      };
    }
  }
}

/** An object in the form that a client sends, with the defaults of its version. */
export function defaulted({ message, version, context: { gates } }: KindVersion, object: JsonObject): ApiObject {
  const copy = asObject(cloneJson(object));
  copy.metadata ??= {};
  fillDefaults(message, asJson(copy));
  version.defaults?.(copy, { naming, gates, release: defaultRelease });
  return asObject(normalize(message, copy));
}

/** The stored form of an object of a version. */
export function stored({ stored: message, version }: KindVersion, object: ApiObject): ApiObject {
  const copy = cloneJson(object);
  return asObject(normalize(message, version.toStorage?.(copy, { naming }) ?? copy));
}
