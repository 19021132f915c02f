import { randomUUID } from 'node:crypto';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from './object-meta.ts';
import { withOwnFields } from './own-fields.ts';
import { storedValue } from './written.ts';

/**
 * Creates the missing objects of a cluster-wide kind. Several replicas may do this at once. `given` are members that
 * every new object of the kind gets, and that no manager owns.
 */
export async function ensureObjects(
  registry: Registry,
  stored: StoredResource,
  objects: readonly ApiObject[],
  given: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  let revision = 0;
  for (const object of objects) {
    const name = object.metadata.name!;
    if (stored.cache.get(name) !== undefined) continue;
    const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: timestamp() };
    const owned = await withOwnFields(registry, stored, undefined, { ...object, metadata });
    const created = await registry.store.create(stored.keyPrefix + name, storedValue(stored, { ...owned, ...given }));
    if (created.outcome === 'written') revision = created.revision;
  }
  if (revision > 0) await registry.cache.waitFor(revision, 1000);
}
