import type { ApiObject } from '#schema/objects/api-object.ts';

/** An object as it is created: what is made has no version yet, whatever the file that it was once saved in says. */
export function anew(object: ApiObject): ApiObject {
  if (!object.metadata.resourceVersion) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
