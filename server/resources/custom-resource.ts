import type { ResourceShape } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { KindRules, TableForm } from '../api/resource-definition.ts';
import type { ScalePaths } from '../api/scale-paths.ts';
import type { WriteCondition } from '../api/write-condition.ts';

/** One version of a resource that is defined at run time. */
export interface CustomVersion {
  /** `group` is that of the definition, in short form (`Naming.shortForm`); `storage` is not looked at. */
  readonly type: ResourceShape;
  /** Unserved versions are included, because objects may still be stored in them. */
  readonly served: boolean;
  /** Asked for when it is first needed: definitions without use should cost nothing. */
  readonly model: () => ObjectModel;
  /** How a table shows objects of this version; undefined for a name and an age. */
  readonly table?: TableForm;
  /** The paths of the numbers that the subresource `scale` shows. */
  readonly scale?: ScalePaths;
}

/**
 * A custom resource for {@link Registry.setCustom}. An unchanged definition keeps the same object, so that results
 * computed from it are kept.
 */
export interface CustomResource {
  /** The name as in the path. */
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The versions in order of preference. One of them is stored. */
  readonly versions: readonly CustomVersion[];
  readonly storageVersion: string;
  /** Rules besides those of the models; objects are in the version of the request. */
  readonly rules?: Omit<KindRules, 'group' | 'plural' | 'versions'>;
  /**
   * Brings objects, with `kind` and `apiVersion`, from one version into another, in order. Absent where versions differ
   * in name only. Gets at most {@link MOST_CONVERTED} objects. Rejects with a StatusError.
   */
  readonly convert?: (objects: readonly ApiObject[], to: string) => MaybePromise<readonly ApiObject[]>;
  /** The conditions that must hold when a write to an object of this resource commits. */
  readonly condition?: WriteCondition;
}

/** The custom resources of one group; the same object while nothing in it changes. */
export interface CustomGroup {
  /** The name as in the path. */
  readonly name: string;
  readonly resources: readonly CustomResource[];
}

/** How many objects are converted at once. */
export const MOST_CONVERTED = 500;
