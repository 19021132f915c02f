import { BEST, type Score } from './score.ts';

/** The used share of a node's resources. It is 1 if the node offers none. */
function shareOf(used: number, room: number): number {
  return room === 0 ? 1 : Math.min(1, used / room);
}

// The scores are computed for hundreds of nodes for each pod. So the code makes no lists.

/** Prefers nodes with more free resources. */
export const leastAllocated: Score = {
  name: 'NodeResourcesFit',
  weight: 1,
  prepare: ({ weight: pod }) => ({
    of: ({ allocatable, weight }) => {
      const cpu = shareOf(weight.cpu + pod.cpu, allocatable.get('cpu') ?? 0);
      const memory = shareOf(weight.memory + pod.memory, allocatable.get('memory') ?? 0);
      return Math.trunc((Math.trunc((1 - cpu) * BEST) + Math.trunc((1 - memory) * BEST)) / 2);
    },
  }),
};

/** Prefers nodes whose processors and memory are used to similar shares. */
export const balancedAllocation: Score = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  prepare({ requests }) {
    const [podCpu, podMemory] = [requests.get('cpu') ?? 0, requests.get('memory') ?? 0];
    return {
      of: ({ allocatable, requested }) => {
        const [cpuRoom, memoryRoom] = [allocatable.get('cpu') ?? 0, allocatable.get('memory') ?? 0];
        if (cpuRoom === 0 || memoryRoom === 0) return BEST;
        const cpu = shareOf((requested.get('cpu') ?? 0) + podCpu, cpuRoom);
        const memory = shareOf((requested.get('memory') ?? 0) + podMemory, memoryRoom);
        return Math.trunc((1 - Math.abs(cpu - memory) / 2) * BEST);
      },
    };
  },
};
