import type { ApiObject } from '#schema/objects/api-object.ts';

/** The form of an object in a request to create it. It does not have the version that a file may contain. */
export function asNewObject(object: ApiObject): ApiObject {
  if (!object.metadata.resourceVersion) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
