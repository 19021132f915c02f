import type { NodeInfo } from '../state/node-info.ts';
import type { Weight } from '../state/resources.ts';
import { BEST, type Score } from './score.ts';

/** The shares of a node's processors and memory that are used after the pod is added; 1 if the node offers none. */
function sharesWith({ allocatable, weight }: NodeInfo, pod: Weight): readonly number[] {
  return (['cpu', 'memory'] as const).map((name) => {
    const room = allocatable.get(name) ?? 0;
    return room === 0 ? 1 : Math.min(1, (weight[name] + pod[name]) / room);
  });
}

/** Prefers nodes that have more left. */
export const leastAllocated: Score = {
  name: 'NodeResourcesFit',
  weight: 1,
  prepare: (pod) => ({
    of: (node) => {
      const shares = sharesWith(node, pod.weight).map((share) => Math.trunc((1 - share) * BEST));
      return Math.trunc(shares.reduce((a, b) => a + b, 0) / shares.length);
    },
  }),
};

/** Prefers nodes whose processors and memory are used to similar shares. */
export const balancedAllocation: Score = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  prepare: (pod) => ({
    of: ({ allocatable, requested }) => {
      const shares = (['cpu', 'memory'] as const).flatMap((name) => {
        const room = allocatable.get(name) ?? 0;
        return room === 0 ? [] : [Math.min(1, ((requested.get(name) ?? 0) + (pod.requests.get(name) ?? 0)) / room)];
      });
      const [a = 0, b = a] = shares;
      return Math.trunc((1 - Math.abs(a - b) / 2) * BEST);
    },
  }),
};
