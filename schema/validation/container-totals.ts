import { table } from '#base/collections/own-properties.ts';
import type { Container, PodSpec } from '../generated/core.v1.ts';
import type { Quantity } from '../values/quantity.ts';
import { addTo, pick, raiseTo, readUsage, type Usage } from '../values/usage.ts';

/**
 * Adds up the resources of containers. Init containers run one after the other before the containers. Restartable init
 * containers run beside all containers that start after them.
 */
export function totalOfContainers(
  { containers, initContainers }: Pick<PodSpec, 'containers' | 'initContainers'>,
  field: 'limits' | 'requests',
): Usage {
  const of = (container: Pick<Container, 'resources'>) => readUsage(container.resources?.[field]);
  const beside = table<Quantity>();
  const most = table<Quantity>();
  for (const container of initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === 'Always') {
      addTo(beside, own);
      // Amounts that this container does not name do not change.
      raiseTo(most, pick(beside, Object.keys(own)));
    } else {
      raiseTo(most, addTo(pick(beside, Object.keys(own)), own));
    }
  }
  for (const container of containers ?? []) addTo(beside, of(container));
  return raiseTo(most, beside);
}
