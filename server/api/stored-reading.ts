import type { VersionRules } from '#schema/conversion/version-rules.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Item } from '../cache/item.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ObjectModel } from './object-model.ts';

/** The identity of one version of a resource. */
export interface ResourceVersion {
  /** The full version, such as `apps/v1` or `v1`. */
  readonly apiVersion: string;
  /** The model of the objects in this version. */
  readonly model: ObjectModel;
  readonly versionRules: VersionRules;
}

/** Reads stored objects in one version, without further waiting. The results are shared and must not be changed. */
export interface Reading {
  /** JSON in the served version, without `kind` and `apiVersion`. */
  body(item: Item): Buffer;
  /** The object in the working version (see {@link StoredReading}), without `kind` and `apiVersion`. */
  object(item: Item): ApiObject;
  /** Like `object`, for a walk over many objects. The walk does not push frequently used objects out of memory. */
  passing(item: Item): ApiObject;
  /** Whether `body` returns the bytes of the item itself. */
  asStored(item: Item): boolean;
  /** Whether the object of the working version is that of the item itself. */
  workingAsStored(item: Item): boolean;
}

/**
 * Reads stored objects of a resource in one of its versions, and converts them back. Verbs, rules and admission see
 * objects in the working version. For built-in kinds the working version is the storage version. For custom kinds it is
 * the version of the request, because schema and rules belong to that version.
 *
 * If a conversion needs the answer of a webhook, that answer is requested before encoding, for all items at once.
 * Without such a conversion, every method returns at once. Rejections are StatusErrors.
 */
export interface StoredReading {
  /** The model of the working version. */
  readonly model: ObjectModel;
  /** Present if every item is always ready. */
  readonly now?: Reading;
  /** Prepares items for reading. The result is remembered with the item for later readers. */
  ready(items: readonly Item[]): MaybePromise<Reading>;
  /**
   * Converts an object that was stored in a version of the resource to the working version. It may change the object.
   */
  fromStored(object: ApiObject, apiVersion: string): MaybePromise<ApiObject>;
  /** Converts an object of the working version to the stored version. The result may share parts with it. */
  toStored(object: ApiObject): MaybePromise<ApiObject>;
  /** Converts an object of the working version to a version of the same resource. It may change the object. */
  inVersion(object: ApiObject, to: ResourceVersion): MaybePromise<ApiObject>;
  /** Converts an object of a version of the same resource to the working version. It may change the object. */
  fromVersion(object: ApiObject, from: ResourceVersion): MaybePromise<ApiObject>;
}
