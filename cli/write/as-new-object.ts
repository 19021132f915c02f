import type { ApiObject } from '#schema/objects/api-object.ts';

/** An object as it is sent to be created: without the version that a file may contain. */
export function asNewObject(object: ApiObject): ApiObject {
  if (!object.metadata.resourceVersion) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
