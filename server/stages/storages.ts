import { storageId } from '#schema/descriptors/storage-id.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';

/**
 * Where the objects of a built-in resource are stored, by its short group; undefined where there is no such resource.
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
