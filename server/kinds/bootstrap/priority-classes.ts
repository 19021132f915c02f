import { randomUUID } from 'node:crypto';
import { timestamp } from '../../registry/object-meta.ts';
import type { Registry } from '../../registry/registry.ts';
import { storedValue } from '../../registry/written.ts';
import { SYSTEM_PRIORITY_CLASSES } from '../scheduling/priority-class.ts';

/** Makes the priority classes of the system, unless they are there. Several replicas may do so at once. */
export async function ensurePriorityClasses(registry: Registry): Promise<void> {
  const stored = registry.stored('scheduling', 'priorityclasses');
  let revision = 0;
  for (const { name, value, description } of SYSTEM_PRIORITY_CLASSES) {
    if (stored.cache.get(name) !== undefined) continue;
    const object = {
      metadata: { name, uid: randomUUID(), creationTimestamp: timestamp(), generation: 1 },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    };
    const created = await registry.store.create(stored.keyPrefix + name, storedValue(stored, object));
    if (created.outcome === 'written') revision = created.revision;
  }
  if (revision > 0) await registry.cache.waitFor(revision, 1000);
}
