import { randomUUID } from 'node:crypto';
import type { Registry } from '../api/registry.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { timestamp } from './object-meta.ts';
import { storedValue } from './written.ts';

/** Makes objects of a cluster-wide kind that are not there yet. Several replicas may do so at once. */
export async function ensureObjects(
  registry: Registry,
  stored: StoredResource,
  objects: readonly ApiObject[],
): Promise<void> {
  let revision = 0;
  for (const object of objects) {
    const name = object.metadata.name!;
    if (stored.cache.get(name) !== undefined) continue;
    const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: timestamp() };
    const created = await registry.store.create(stored.keyPrefix + name, storedValue(stored, { ...object, metadata }));
    if (created.outcome === 'written') revision = created.revision;
  }
  if (revision > 0) await registry.cache.waitFor(revision, 1000);
}
