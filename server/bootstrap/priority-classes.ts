import { SYSTEM_PRIORITY_CLASSES } from '../kinds/scheduling/priority-class.ts';
import type { Registry } from '../resources/registry.ts';
import { ensureObjects } from '../verbs/ensure-objects.ts';

/** Creates the priority classes of the system, unless they exist. */
export async function ensurePriorityClasses(registry: Registry): Promise<void> {
  const objects = SYSTEM_PRIORITY_CLASSES.map(({ name, value, description }) => ({
    metadata: { name, generation: 1 },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  }));
  await ensureObjects(registry, registry.stored('scheduling', 'priorityclasses'), objects);
}
