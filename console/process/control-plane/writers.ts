import type { Client } from '#client/client.ts';
import type { MetadataObject } from '#client/resource-client.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { Writer, Writers } from '../../protocol/control-plane.ts';

/** The largest number of objects that are read. */
const MOST_OBJECTS = 2_000;

/**
 * The clients that wrote objects of a type through exactly this version. The objects record each manager of fields with
 * the version that it wrote. Clients that only read leave no such record.
 *
 * @param apiVersion `autoscaling/v2beta2`
 * @throws ApiError if the user may not list the type
 */
export async function readWriters(client: Client, type: ResourceType, apiVersion: string): Promise<Writers> {
  const { items, metadata } = await client.resource(type).metadataOnly().list({ limit: MOST_OBJECTS });
  return { writers: writersIn(items, apiVersion), looked: items.length, isCut: Boolean(metadata.continue) };
}

/** The managers that wrote through a version, those with most objects first. */
export function writersIn(items: readonly MetadataObject[], apiVersion: string): readonly Writer[] {
  const writers = new Map<string, { manager: string; objects: number; example: string; last: string }>();
  for (const { metadata } of items)
    for (const { manager = '', apiVersion: through, time } of metadata.managedFields ?? []) {
      if (through !== apiVersion) continue;
      const last = String(time ?? '');
      const example = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : String(metadata.name);
      const known = writers.get(manager);
      if (known === undefined) writers.set(manager, { manager, objects: 1, example, last });
      else {
        known.objects++;
        if (last > known.last) [known.last, known.example] = [last, example];
      }
    }
  return [...writers.values()].sort((a, b) => b.objects - a.objects);
}
