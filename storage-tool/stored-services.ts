import { parseStored } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ServiceObjects } from '#server/outbound/cluster-services.ts';
import type { Data } from './data.ts';

/** What is stored of services, and of who is behind them. */
const RESOURCES = ['core/services', 'core/endpoints', 'discovery/endpointslices'];

/** The services of some namespaces, as they are stored now. */
export async function storedServices(data: Data, namespaces: Iterable<string>): Promise<ServiceObjects> {
  const objects = new Map<string, ApiObject>();
  for (const namespace of namespaces)
    for (const id of RESOURCES)
      await data.each(`${id}/${namespace}/`, ({ name, plain }) => {
        if (plain !== undefined) objects.set(`${id}/${namespace}/${name}`, parseStored(plain));
      });
  const id = (group: string, plural: string) => `${group || 'core'}/${plural}`;
  return {
    get: <T extends ApiObject>(group: string, plural: string, key: string) =>
      objects.get(`${id(group, plural)}/${key}`) as T | undefined,
    labelled: <T extends ApiObject>(
      group: string,
      plural: string,
      namespace: string,
      [label, value]: readonly [string, string],
    ) => {
      const under = `${id(group, plural)}/${namespace}/`;
      const mine = [...objects].filter(
        ([key, { metadata }]) => key.startsWith(under) && metadata.labels?.[label] === value,
      );
      return mine.map(([, object]) => object as T);
    },
  };
}
