import { storageId } from '#schema/descriptors/storage-id.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ServiceObjects } from '../outbound/cluster-services.ts';

/** The services in a map of stored objects by their keys, such as `core/services/default/hook`. */
export function serviceObjects(objects: ReadonlyMap<string, ApiObject>): ServiceObjects {
  return {
    get: <T extends ApiObject>(group: string, plural: string, key: string) =>
      objects.get(`${storageId(group, plural)}/${key}`) as T | undefined,
    labelled: <T extends ApiObject>(
      group: string,
      plural: string,
      namespace: string,
      [label, value]: readonly [string, string],
    ) => {
      const prefix = `${storageId(group, plural)}/${namespace}/`;
      const found = [...objects].filter(
        ([key, { metadata }]) => key.startsWith(prefix) && metadata.labels?.[label] === value,
      );
      return found.map(([, object]) => object as T);
    },
  };
}
