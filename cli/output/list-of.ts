import type { ApiObject } from '#schema/objects/api-object.ts';

/** Objects in a list of the client's own: no server has made it. `metadata` is what printers show as such. */
export function listOf(items: readonly ApiObject[], metadata: ApiObject['metadata'] = {}): ApiObject {
  return { kind: 'List', apiVersion: 'v1', metadata, items } as unknown as ApiObject;
}
