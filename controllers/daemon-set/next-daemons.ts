import type { Pod } from '#schema/generated/core.v1.ts';
import type { Placement } from './placement.ts';

/** A node, and the pods of a daemon set on it, the oldest first. */
export interface DaemonNode extends Placement {
  readonly name: string;
  readonly pods: readonly Pod[];
}

/** The nodes and the existing pods of a daemon set. */
export interface Daemons {
  readonly nodes: readonly DaemonNode[];
  /** Pods for nodes that no longer exist, or that name no node. */
  readonly lost: readonly Pod[];
  /**
   * The number of nodes that may have a second pod while the template changes. With 0, the old pod is deleted first.
   */
  readonly surge: number;
  /** The number of nodes that may be without an available pod while the template changes. */
  readonly unavailable: number;
  /** Whether pods are replaced when the template changes. */
  readonly rolling: boolean;
  readonly isUpdated: (pod: Pod) => boolean;
  readonly isReady: (pod: Pod) => boolean;
  readonly isAvailable: (pod: Pod) => boolean;
  /** Whether another pod that failed may be replaced on a node now. */
  readonly mayReplaceFailed: (node: string) => boolean;
}

/** The nodes that get a pod, and the pods that are removed. */
export interface DaemonSteps {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** The removed pods that had already ended. */
  readonly ended: readonly { readonly pod: Pod; readonly node: string }[];
}

/**
 * The next steps of a daemon set. Pods are updated to the template only after every node has the pods that it needs.
 */
export function nextDaemons(daemons: Daemons): DaemonSteps {
  const placed = placeDaemons(daemons);
  if (placed.create.length + placed.remove.length > 0 || !daemons.rolling) return placed;
  return daemons.surge > 0 ? surge(daemons) : replace(daemons);
}

function placeDaemons({ nodes, lost, surge: surging, isUpdated, isReady, mayReplaceFailed }: Daemons): DaemonSteps {
  const create: string[] = [];
  const remove: Pod[] = lost.filter(stays);
  const ended: { pod: Pod; node: string }[] = [];
  for (const { name, starts, stays: mayStay, pods } of nodes) {
    const staying = pods.filter(stays);
    if (!mayStay) {
      remove.push(...staying);
      continue;
    }
    if (starts && pods.length === 0) create.push(name);
    const running: Pod[] = [];
    for (const pod of staying) {
      const { phase } = pod.status ?? {};
      if (phase !== 'Failed' && phase !== 'Succeeded') running.push(pod);
      else if (phase === 'Succeeded' || mayReplaceFailed(name)) ended.push({ pod, node: name });
    }
    const kept = surging > 0 ? oneOfEach(running, isUpdated, isReady) : running.slice(0, 1);
    remove.push(...running.filter((pod) => !kept.includes(pod)));
  }
  remove.push(...ended.map(({ pod }) => pod));
  return { create, remove, ended };
}

/**
 * The pods to keep on a node: the oldest pod of the present template, and the oldest pod of earlier templates while it
 * is ready.
 */
function oneOfEach(running: readonly Pod[], isUpdated: Daemons['isUpdated'], isReady: Daemons['isReady']): Pod[] {
  const next = running.find(isUpdated);
  const old = running.find((pod) => !isUpdated(pod));
  if (next === undefined || old === undefined) return [next ?? old].filter((pod) => pod !== undefined);
  return isReady(old) ? [next, old] : [next];
}

/** Deletes old pods: unavailable pods at once, and other pods as long as not too many nodes are without a pod. */
function replace({ nodes, unavailable, isUpdated, isAvailable }: Daemons): DaemonSteps {
  let without = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const { starts, pods } of nodes) {
    if (!starts) continue;
    const old = pods.filter((pod) => !isUpdated(pod));
    const next = pods.filter(isUpdated);
    const [only] = pods;
    if (only === undefined || pods.length > 1) without++;
    else if (next.length > 0) without += isAvailable(only) && stays(only) ? 0 : 1;
    else if (!isAvailable(only) || !stays(only)) {
      without++;
      broken.push(...old.filter(stays));
    } else candidates.push(only);
  }
  const room = Math.max(0, unavailable - without);
  return { create: [], remove: [...broken, ...candidates.slice(0, room)], ended: [] };
}

/** Starts new pods beside old ones, and deletes the old ones when the new ones are available. */
function surge({ nodes, surge: most, isUpdated, isAvailable }: Daemons): DaemonSteps {
  let double = 0;
  const remove: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  for (const { name, starts, pods } of nodes) {
    const old = pods.find((pod) => !isUpdated(pod));
    const next = pods.find(isUpdated);
    if (!starts || old === undefined) continue;
    if (next === undefined) (isAvailable(old) && stays(old) ? candidates : broken).push(name);
    else if (!isAvailable(next)) double++;
    else if (stays(old)) {
      // Its node has two pods until the old one is gone.
      double++;
      remove.push(old);
    }
  }
  const room = Math.max(0, most - double);
  return { create: [...broken, ...candidates.slice(0, room)], remove, ended: [] };
}

function stays({ metadata }: Pod): boolean {
  return !metadata.deletionTimestamp;
}
