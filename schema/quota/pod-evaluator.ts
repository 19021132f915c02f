import { table } from '#base/collections/own-properties.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Pod, PodSpec } from '../generated/core.v1.ts';
import { totalOfContainers } from '../validation/container-totals.ts';
import { resourceNames } from '../validation/resource-names.ts';
import type { Quantity } from '../values/quantity.ts';
import { addUsage, readUsage, type Usage } from '../values/usage.ts';
import { type Evaluator, ONE } from './evaluator.ts';
import { podInScope } from './pod-scopes.ts';

const COUNT = 'count/pods';
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const NAMES = new Set([
  COUNT,
  'pods',
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
]);
/** Resources that every container must request or limit if a quota limits them. */
const DEMANDED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);
const REQUESTS = 'requests.';

/** The total amount for a pod. Pod-level amounts replace the sum of the containers. */
function total(spec: PodSpec, field: 'limits' | 'requests'): Usage {
  const { overhead, resources } = spec;
  const needed = totalOfContainers(spec, field);
  return addUsage(
    resources === undefined ? needed : { ...needed, ...readUsage(resources[field]) },
    readUsage(overhead),
  );
}

/** The requests of a pod on its node. These are the requests of its running containers, and the overhead of the pod. */
export function podRequests(spec: PodSpec): Usage {
  return total(spec, 'requests');
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Counts pods, and the requests and limits of their containers. */
export function podEvaluator(naming: Naming): Evaluator {
  const { isExtended, isHugePages } = resourceNames(naming);

  /** Requests and limits under the names that quotas use for them. */
  function compute(requests: Usage, limits: Usage): Usage {
    const usage: Record<string, Quantity> = table();
    for (const [name, amount] of Object.entries(requests)) {
      if (COMPUTE.includes(name) || isHugePages(name)) usage[name] = usage[REQUESTS + name] = amount;
      else if (isExtended(name)) usage[REQUESTS + name] = amount;
    }
    for (const [name, amount] of Object.entries(limits)) if (COMPUTE.includes(name)) usage[`limits.${name}`] = amount;
    return usage;
  }

  return {
    operations: ['CREATE'],
    matching: (names) =>
      names.filter((name) => {
        const bare = name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : name;
        return NAMES.has(name) || isHugePages(bare) || (bare !== name && isExtended(bare));
      }),
    usage(object) {
      const pod = object as Pod;
      if (isOver(pod) || pod.spec === undefined) return { [COUNT]: ONE };
      return { [COUNT]: ONE, pods: ONE, ...compute(total(pod.spec, 'requests'), total(pod.spec, 'limits')) };
    },
    unmet(object, names) {
      const { containers, initContainers } = (object as Pod).spec ?? { containers: [] };
      const demanded = names.filter((name) => DEMANDED.has(name)).sort();
      if (demanded.length === 0) return undefined;
      const all = [...(containers ?? []), ...(initContainers ?? [])].map(({ name, resources }) => ({
        name,
        amounts: compute(readUsage(resources?.requests), readUsage(resources?.limits)),
      }));
      const parts = demanded.flatMap((name) => {
        const without = all.filter(({ amounts }) => amounts[name] === undefined).map((container) => container.name);
        return without.length === 0 ? [] : [`${name} for: ${[...new Set(without)].sort().join(',')}`];
      });
      return parts.length === 0 ? undefined : `must specify ${parts.join('; ')}`;
    },
    inScope: (object, scope) => podInScope(object as Pod, scope),
  };
}
