import type { Naming } from '#base/naming/naming.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';

/** Why a pod is garbage. */
export type Reason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

export interface Garbage {
  readonly pod: Pod;
  readonly reason: Reason;
}

/** The knowledge about the nodes of pods. */
export interface NodesOfPods {
  get(name: string): Node | undefined;
  /** Whether a node has been missing for long, and is known to be gone. */
  isGone(name: string): boolean;
}

/**
 * The pods that can be deleted at once, because no node will end them or show them any more.
 *
 * @param threshold the number of finished pods that may exist; 0 or less means any number
 */
export function garbageOf(pods: readonly Pod[], nodes: NodesOfPods, threshold: number, naming: Naming): Garbage[] {
  const outOfService = naming.key('node/out-of-service');
  const found = new Map<Pod, Reason>();
  if (threshold > 0) for (const pod of beyond(pods.filter(isFinished), threshold)) found.set(pod, 'terminated');
  for (const pod of pods) {
    const { nodeName } = pod.spec ?? {};
    const deleted = Boolean(pod.metadata.deletionTimestamp);
    if (!nodeName) {
      if (deleted) found.set(pod, 'unscheduled');
      continue;
    }
    const node = nodes.get(nodeName);
    if (node === undefined) {
      if (nodes.isGone(nodeName)) found.set(pod, 'orphaned');
    } else if (deleted && !isReady(node) && node.spec?.taints?.some(({ key }) => key === outOfService))
      found.set(pod, 'out-of-service');
  }
  return [...found].map(([pod, reason]) => ({ pod, reason }));
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** Finished pods beyond the limit. Evicted pods come first, then the oldest. */
function beyond(finished: Pod[], threshold: number): Pod[] {
  const evicted = ({ status }: Pod) => status?.phase === 'Failed' && status.reason === 'Evicted';
  const made = ({ metadata }: Pod) => metadata.creationTimestamp ?? '';
  const order = (a: Pod, b: Pod) => {
    if (evicted(a) !== evicted(b)) return evicted(a) ? -1 : 1;
    const [first, second] = made(a) === made(b) ? [a.metadata.name!, b.metadata.name!] : [made(a), made(b)];
    return first < second ? -1 : 1;
  };
  return finished.length <= threshold ? [] : finished.sort(order).slice(0, finished.length - threshold);
}
