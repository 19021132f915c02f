import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';

/** Objects in a list that the client makes, not a server. Printers write `metadata` as the metadata of the list. */
export function listOf(items: readonly ApiObject[], metadata: ApiObject['metadata'] = {}): ApiObject {
  return asObject({ kind: 'List', apiVersion: 'v1', metadata, items });
}
