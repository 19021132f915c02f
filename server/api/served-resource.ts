import type { JsonObject } from '#base/json/json-value.ts';
import type { ResourceShape } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ResourceCache } from '../cache/resource-cache.ts';
import type { ObjectModel } from './object-model.ts';
import type { KindRules, TableForm } from './resource-definition.ts';
import type { ScalePaths } from './scale-paths.ts';
import type { ResourceVersion, StoredReading } from './stored-reading.ts';
import type { WriteCondition } from './write-condition.ts';

/** The fields of a kind that are stored, but that the release in force does not have. */
export interface HiddenFields {
  /** Whether objects may have such fields. */
  readonly may: boolean;
  /** A stored object (shared, in the storage version) in the form of the release. */
  without(object: ApiObject): ApiObject;
  /** The object in its stored form, with the stored fields that the release does not have. */
  restored(form: ApiObject, stored: JsonObject): ApiObject;
}

/** A stored kind: one for each storage identity, regardless of the number of its served versions. */
export interface StoredResource {
  /** Short group and plural of the storage identity. */
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** `apps/v1` in the server's naming. */
  readonly apiVersion: string;
  readonly version: string;
  /** The model of the stored version. */
  readonly model: ObjectModel;
  /** The models of all versions in which objects may be stored, by `versionKey`. Custom kinds keep theirs elsewhere. */
  readonly models?: ReadonlyMap<string, ObjectModel>;
  readonly namespaced: boolean;
  readonly rules: KindRules;
  /** The absolute prefix of the kind's keys, with a slash at the end. */
  readonly keyPrefix: string;
  readonly cache: ResourceCache;
  /** The conditions of a write besides the object. Built-in kinds have none, because they do not change. */
  readonly condition?: WriteCondition | undefined;
  /** Stored fields of other releases that this release does not have; absent for custom kinds. */
  readonly hidden?: HiddenFields | undefined;
}

/** A resource in one group version, with the names of a path. */
export interface ServedResource extends ResourceVersion {
  readonly type: ResourceShape;
  /** The group in the form of the path, in the server's naming. */
  readonly group: string;
  readonly version: string;
  /** Whether it is a custom resource. Clients expect different answers for it in some cases. */
  readonly isCustom?: true;
  /** Undefined for virtual resources (reviews). */
  readonly stored: StoredResource | undefined;
  /** Reads the stored objects in this version. Throws for virtual resources. */
  readonly reading: StoredReading;
  /**
   * All resources with the same objects, including this one, in discovery order. They are other versions and other
   * groups.
   */
  readonly versions: readonly ServedResource[];
  /** The columns of the objects, if the version decides them and not the kind. */
  readonly table?: TableForm | undefined;
  /** The paths of the `scale` view, if the definition sets them. */
  readonly scale?: ScalePaths | undefined;
  /** The head of a single JSON answer: `{"kind":"Pod","apiVersion":"v1",`. */
  readonly jsonHead: Buffer;
}

/** A resource with stored objects. All verbs need one, except the verbs of virtual resources. */
export interface StoredServedResource extends ServedResource {
  readonly stored: StoredResource;
}

/** Whether a resource has stored objects. The dispatcher checks this once per request. */
export function hasStored(served: ServedResource): served is StoredServedResource {
  return served.stored !== undefined;
}

/** The start of the JSON form of an object of this kind. Some discovery documents have no apiVersion. */
export function jsonHead(kind: string, apiVersion: string): Buffer {
  const version = apiVersion === '' ? '' : `"apiVersion":${JSON.stringify(apiVersion)},`;
  return Buffer.from(`{"kind":${JSON.stringify(kind)},${version}`);
}
