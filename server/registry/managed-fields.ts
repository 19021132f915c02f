import type { Registry } from '../api/registry.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { FieldSet } from '../apply/field-set.ts';
import { equalButTimes } from '../apply/managers.ts';
import type { Versions } from '../apply/object-schema.ts';
import { trackUpdate } from '../apply/update.ts';
import { clone, toServed, toStorage } from '../codecs/convert.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ApiObject, ManagedFieldsEntry } from '../schema/api-object.ts';
import { objectSchemaOf } from '../schema/apply-type.ts';
import { normalize } from '../schema/normalize.ts';

/** Who writes, and through which view. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
}

const STATUS = FieldSet.ofMembers(['status']);
const SPEC = FieldSet.ofMembers(['spec']);
const versionsOf = new WeakMap<ServedResource, Versions>();

/** How objects of a resource look in all versions that are served. */
export function resourceVersions(registry: Registry, served: ServedResource): Versions {
  let versions = versionsOf.get(served);
  if (versions === undefined) versionsOf.set(served, (versions = makeVersions(registry, served)));
  return versions;
}

function makeVersions(registry: Registry, served: ServedResource): Versions {
  const siblings = new Map(
    registry.allServed.filter((other) => other.stored === served.stored).map((other) => [other.apiVersion, other]),
  );
  return {
    schema(apiVersion) {
      const version = siblings.get(apiVersion);
      return version === undefined ? undefined : objectSchemaOf(version.type.message);
    },
    convert(object, from, to) {
      const [source, target] = [siblings.get(from), siblings.get(to)];
      if (source === undefined || target === undefined) return undefined;
      const stored = toStorage(registry, source, clone(object) as unknown as ApiObject);
      return normalize(target.type.message, toServed(registry, target, stored));
    },
  };
}

/** Fields that a view does not write, so that nobody owns them through it. */
export function resetFields(served: ServedResource, subresource: string): FieldSet | undefined {
  const own = served.stored?.rules.viewResets?.[subresource];
  if (own !== undefined) return own;
  if (subresource === 'status') return served.stored?.rules.statusResets ?? SPEC;
  const hasStatus = served.type.subresources.some((sub) => sub.name === 'status');
  return hasStatus && subresource === '' ? STATUS : undefined;
}

/**
 * Keeps `metadata.managedFields` of a written object up to date. Both objects are in the served version, defaulted;
 * `object` is changed in place. `live` is undefined for a create.
 */
export function trackWrite(
  registry: Registry,
  served: ServedResource,
  live: ApiObject | undefined,
  object: ApiObject,
  writer: Writer,
): void {
  const tracked = trackUpdate({
    live: live as unknown as JsonObject | undefined,
    updated: normalize(served.type.message, object, { shares: true, inRequest: true }),
    manager: writer.manager,
    subresource: writer.subresource,
    apiVersion: served.apiVersion,
    versions: resourceVersions(registry, served),
    now: new Date(),
    resetFields: resetFields(served, writer.subresource),
  });
  const { managedFields } = tracked['metadata'] as { managedFields?: ManagedFieldsEntry[] };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** The object with the stored times of its managers, when its managers differ from the stored ones in times only. */
export function withStoredTimes(object: ApiObject, old: ApiObject): ApiObject | undefined {
  const [mine, stored] = [object.metadata.managedFields, old.metadata.managedFields];
  if (mine === undefined || stored === undefined || !equalButTimes(mine, stored)) return undefined;
  return { ...object, metadata: { ...object.metadata, managedFields: stored } };
}
