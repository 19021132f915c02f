import type { ListOptions } from '#client/resource-client.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { DescribeContext } from './describer.ts';

/** All objects of a type that fit, in one namespace or in all namespaces. The objects are requested in pages. */
export async function listAll<T extends ApiObject>(
  { client, chunkSize }: DescribeContext,
  type: ResourceType<T>,
  namespace: string | undefined,
  selectors: Pick<ListOptions, 'labelSelector' | 'fieldSelector'> = {},
): Promise<T[]> {
  const limit = chunkSize === 0 ? Number.MAX_SAFE_INTEGER : chunkSize;
  const found: T[] = [];
  for await (const { items } of client
    .resource(type)
    .in(namespace)
    .pages({ ...selectors, limit }))
    found.push(...items);
  return found;
}

/** The owner that manages an object. */
export function controllerOf({ metadata }: ApiObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
