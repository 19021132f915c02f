import type { Refusal } from '../filters/filter.ts';

/** The number of nodes for each reason, in the order of the texts: `1 Insufficient cpu, 2 Too many pods`. */
function countReasons(refusals: Iterable<Pick<Refusal, 'reasons'>>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of refusals) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

/**
 * The message for users about a pod without a node.
 *
 * @example noNodeMessage(3, [{ reasons: ['Insufficient cpu'] }, …]) // '0/3 nodes are available: 3 Insufficient cpu.'
 */
export function noNodeMessage(nodes: number, why: Iterable<Pick<Refusal, 'reasons'>> | string): string {
  if (nodes === 0) return 'no nodes available to schedule pods';
  const reasons = typeof why === 'string' ? why : countReasons(why);
  return `0/${nodes} nodes are available: ${reasons}.`;
}

/** The message about preemption. It follows the message about nodes. */
export function noPreemptionMessage(nodes: number, refusals: Iterable<Refusal>): string {
  const reasons = [...refusals].map(({ isFinal }) => ({
    reasons: [isFinal ? 'Preemption is not helpful for scheduling' : 'No preemption victims found for incoming pod'],
  }));
  return `preemption: 0/${nodes} nodes are available: ${countReasons(reasons)}.`;
}
