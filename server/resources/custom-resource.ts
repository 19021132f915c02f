import type { ResourceShape } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { KindRules, TableForm } from '../api/resource-definition.ts';
import type { ScalePaths } from '../api/scale-paths.ts';
import type { WriteCondition } from '../api/write-condition.ts';

/** One version of a resource that is defined at run time. */
export interface CustomVersion {
  /**
   * The type of the objects. `group` is that of the definition, in short form (`Naming.shortForm`). `storage` is not
   * used.
   */
  readonly type: ResourceShape;
  /** Whether the version is served. Other versions are included, because objects may still be stored in them. */
  readonly served: boolean;
  /** The model. It is made at its first use, because an unused definition should cost nothing. */
  readonly model: () => ObjectModel;
  /** The columns of a table of this version; undefined for name and age. */
  readonly table?: TableForm;
  /** The paths of the numbers in the subresource `scale`. */
  readonly scale?: ScalePaths;
}

/**
 * A custom resource for {@link Registry.setCustom}. An unchanged definition keeps the same object, so that results
 * computed from it are kept.
 */
export interface CustomResource {
  /** The name in the form of the path. */
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The versions in order of preference. One of them is stored. */
  readonly versions: readonly CustomVersion[];
  readonly storageVersion: string;
  /** Rules in addition to those of the models. Objects are in the version of the request. */
  readonly rules?: Omit<KindRules, 'group' | 'plural' | 'versions'>;
  /**
   * Converts objects, with `kind` and `apiVersion`, from one version to another, in order. Absent if versions differ
   * only in name. Gets at most {@link MOST_CONVERTED} objects. Rejects with a StatusError.
   */
  readonly convert?: (objects: readonly ApiObject[], to: string) => MaybePromise<readonly ApiObject[]>;
  /** The conditions that must hold when a write to an object of this resource commits. */
  readonly condition?: WriteCondition;
}

/** The custom resources of one group. It is the same object until something in it changes. */
export interface CustomGroup {
  /** The name in the form of the path. */
  readonly name: string;
  readonly resources: readonly CustomResource[];
}

/** The number of objects that are converted at once. */
export const MOST_CONVERTED = 500;
