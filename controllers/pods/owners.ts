import type { Naming } from '#base/naming/naming.ts';
import { apiVersionOf, groupOf, type ResourceType } from '#client/resource-type.ts';
import type { ApiObject, OwnerReference } from '#schema/objects/api-object.ts';

/** The reference to the controller of an object: the owner that acts on it. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** An index of objects by the uid of their controller. Objects without a controller have the key ''. */
export function byController(object: ApiObject): readonly string[] {
  return [controllerOf(object)?.uid ?? ''];
}

/** An index of objects that have no controller, by namespace. */
export function orphansByNamespace(object: ApiObject): readonly string[] {
  return controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : [];
}

/** An index of objects that have no controller, by each of their labels; see {@link labelInNamespace}. */
export function orphansByLabel(object: ApiObject): readonly string[] {
  const { namespace = '', labels = {} } = object.metadata;
  if (controllerOf(object) !== undefined) return [];
  return Object.entries(labels).map(([key, value]) => labelInNamespace(namespace, key, value));
}

/** The key of an object's label in {@link orphansByLabel}. */
export function labelInNamespace(namespace: string, key: string, value: string): string {
  return `${namespace}/${key}=${value}`;
}

/** A reference that makes an object the controller of another one. */
export function controllerReference(type: ResourceType, { metadata }: ApiObject, naming: Naming): OwnerReference {
  return {
    apiVersion: apiVersionOf(type, naming),
    kind: type.kind,
    name: metadata.name!,
    uid: metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Whether a reference names an object of this type, in any version of the type. */
export function refersTo({ apiVersion, kind }: OwnerReference, type: ResourceType, naming: Naming): boolean {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return kind === type.kind && group === groupOf(type, naming);
}
