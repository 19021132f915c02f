import type { Container, PodSpec } from '../generated/core.v1.ts';
import { addUsage, maxUsage, readUsage, type Usage } from '../values/usage.ts';

/**
 * Adds up the resources of containers. Init containers run one after the other before the containers. Restartable init
 * containers run beside everything that starts after them.
 */
export function totalOfContainers(
  { containers, initContainers }: Pick<PodSpec, 'containers' | 'initContainers'>,
  field: 'limits' | 'requests',
): Usage {
  const of = (container: Pick<Container, 'resources'>) => readUsage(container.resources?.[field]);
  let beside: Usage = {};
  let most: Usage = {};
  for (const container of initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always';
    if (isSidecar) beside = addUsage(beside, of(container));
    most = maxUsage(most, isSidecar ? beside : addUsage(beside, of(container)));
  }
  const together = (containers ?? []).map(of).reduce(addUsage, beside);
  return maxUsage(most, together);
}
