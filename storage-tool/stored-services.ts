import { parseStored } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Data } from './data.ts';

/** Resources with the addresses of services. */
const RESOURCES = ['core/services', 'core/endpoints', 'discovery/endpointslices'];

/** Stored services of some namespaces and their endpoints, by their keys: `core/services/default/hook`. */
export async function storedServices(
  data: Data,
  namespaces: Iterable<string>,
): Promise<ReadonlyMap<string, ApiObject>> {
  const objects = new Map<string, ApiObject>();
  for (const namespace of namespaces)
    for (const id of RESOURCES)
      await data.each(`${id}/${namespace}/`, ({ name, plain }) => {
        if (plain !== undefined) objects.set(`${id}/${namespace}/${name}`, parseStored(plain));
      });
  return objects;
}
