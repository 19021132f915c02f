import type { Registry } from '../api/registry.ts';
import { ensureObjects } from '../registry/ensure-objects.ts';
import { timestamp } from '../registry/object-meta.ts';

/** Registers every group version that is served, so that clients see where it is answered: here. */
export async function ensureServedVersions(registry: Registry): Promise<void> {
  const { naming, schema } = registry;
  const available = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: timestamp(),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
  const objects = schema.groupVersions.flatMap(({ group: short, version, priority }) => {
    const group = naming.group(short);
    if (priority === undefined || !registry.current().hasVersion(group, version)) return [];
    return {
      metadata: { name: `${version}.${group}`, labels: { [naming.key('aggregator/automanaged')]: 'onstart' } },
      spec: {
        ...(group === '' ? {} : { group }),
        version,
        groupPriorityMinimum: priority.group,
        versionPriority: priority.version,
      },
      status: { conditions: [available] },
    };
  });
  await ensureObjects(registry, registry.stored('apiregistration', 'apiservices'), objects);
}
