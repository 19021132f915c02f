import type { Naming } from '#base/naming/naming.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { isReady, readySince } from './pod-state.ts';

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const LARGEST_COST = 2 ** 31 - 1;

/** The facts besides the pods that determine the order of deletion. */
export interface DeletionOrder {
  readonly naming: Naming;
  /** The time in milliseconds since 1970. */
  readonly now: number;
  /** All pods that do the same work. Their number on each node matters. */
  readonly related: readonly Pod[];
}

/**
 * Sorts pods into the order in which surplus pods are deleted. Pods without a node come first. Then the order depends
 * on these facts, one after the other: the pod is not running, is not ready, has a low deletion cost, shares its node
 * with many related pods, became ready recently, restarted often, or is new. Times are compared by their magnitude, so
 * that not all pods of one rollout are deleted together.
 */
export function byDeletion(pods: readonly Pod[], { naming, now, related }: DeletionOrder): Pod[] {
  const costKey = naming.key('controller/pod-deletion-cost');
  const onNode = new Map<string, number>();
  for (const { spec } of related) {
    const node = spec?.nodeName;
    if (node) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => {
    const ready = isReady(pod);
    const { creationTimestamp, annotations, uid = '' } = pod.metadata;
    const cost = ready || annotations !== undefined ? costOf(annotations?.[costKey]) : 0;
    const created = creationTimestamp ? timeToMilliseconds(creationTimestamp) : now;
    return {
      pod,
      uid,
      order: [
        pod.spec?.nodeName ? 1 : 0,
        PHASES[pod.status?.phase ?? ''] ?? 0,
        ready ? 1 : 0,
        cost,
        -(onNode.get(pod.spec?.nodeName ?? '') ?? 0),
        ready ? magnitude(now - (readySince(pod) ?? now)) : 0,
        -restartsOf(pod),
        magnitude(now - created),
      ],
    };
  });
  ranked.sort((a, b) => {
    for (let i = 0; i < a.order.length; i++) {
      const difference = a.order[i]! - b.order[i]!;
      if (difference !== 0) return difference;
    }
    return a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0;
  });
  return ranked.map(({ pod }) => pod);
}

/** The cost of deleting a pod, as a user set it. A text that is not a whole number of 32 bits means 0. */
function costOf(text: string | undefined): number {
  if (text === undefined || !/^(-?[1-9]\d{0,9}|0)$/.test(text)) return 0;
  const cost = Number(text);
  return Math.abs(cost) <= LARGEST_COST ? cost : 0;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

/**
 * The magnitude of a duration. Similar durations have the same one. As in other programs of this kind, the unit is
 * nanoseconds.
 */
function magnitude(ms: number): number {
  return ms <= 0 ? -1 : Math.floor(Math.log2(ms * 1e6));
}
