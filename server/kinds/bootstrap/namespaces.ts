import { randomUUID } from 'node:crypto';
import { timestamp } from '../../registry/object-meta.ts';
import type { Registry } from '../../registry/registry.ts';
import { storedValue } from '../../registry/written.ts';
import type { ApiObject } from '../../schema/api-object.ts';

/** Makes the namespaces that every cluster has: for users, for the system, for public facts and for node leases. */
export async function ensureNamespaces(registry: Registry): Promise<void> {
  const { naming, store, cache } = registry;
  const stored = registry.stored('', 'namespaces');
  let revision = 0;
  for (const name of ['default', naming.prefixed('system'), naming.prefixed('public'), naming.prefixed('node-lease')]) {
    if (stored.cache.get(name) !== undefined) continue;
    const object: ApiObject = {
      metadata: {
        name,
        uid: randomUUID(),
        creationTimestamp: timestamp(),
        labels: { [naming.key('metadata.name')]: name },
      },
      spec: { finalizers: [naming.product] },
      status: { phase: 'Active' },
    };
    const created = await store.create(stored.keyPrefix + name, storedValue(stored, object));
    if (created.outcome === 'written') revision = created.revision;
  }
  if (revision > 0) await cache.waitFor(revision, 1000);
}
