import { storageId } from '#schema/descriptors/storage-id.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';

/**
 * The storage identity of a built-in resource, by its short group; undefined for an unknown resource.
 */
export type StorageOf = (
  group: string,
  plural: string,
) => { readonly group: string; readonly plural: string } | undefined;

export function storagesOf({ schema }: BuiltInKinds): StorageOf {
  const storages = new Map(
    schema.groupVersions.flatMap(({ group, resources }) =>
      resources.map(({ plural, storage }) => [storageId(group, plural), storage] as const),
    ),
  );
  return (group, plural) => storages.get(storageId(group, plural));
}
