import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** A type of objects, with the names that requests use. `T` is the TypeScript type of its objects. */
export interface ResourceType<T extends ApiObject = ApiObject> {
  /**
   * The group in apiVersion; '' for core. For a built-in type (`builtIn`) it is the short form, which is the same in
   * every naming.
   */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly builtIn?: true;
  /** The supported verbs, if known. */
  readonly verbs?: readonly string[];
  /** No value has this field. It only carries the TypeScript type of the objects. */
  readonly object?: T;
}

/**
 * Declares a built-in type by the short form of its group.
 *
 * @public Generated code uses it.
 * @example builtIn<Deployment>('apps', 'v1', 'deployments', 'Deployment', true)
 */
export function builtIn<T extends ApiObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean,
): ResourceType<T> {
  return { group, version, plural, kind, namespaced, builtIn: true };
}

/** The group of a type as requests spell it. */
export function groupOf(type: ResourceType, naming: Naming): string {
  return type.builtIn === true ? naming.group(type.group) : type.group;
}

/** The apiVersion of the objects of a type. */
export function apiVersionOf(type: ResourceType, naming: Naming): string {
  const group = groupOf(type, naming);
  return group === '' ? type.version : `${group}/${type.version}`;
}

/** The name of a type without its version, `pods` or `deployments.apps`. */
export function nameOf(type: ResourceType, naming: Naming): string {
  const group = groupOf(type, naming);
  return group === '' ? type.plural : `${type.plural}.${group}`;
}
