import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';

/** The reason why a node cannot take a pod. */
export interface Refusal {
  /** The text for users. It follows the number of nodes: `Insufficient cpu`. */
  readonly reasons: readonly string[];
  /** Whether the pod would not fit even if other pods left the node. */
  readonly isFinal: boolean;
  /** The name of the filter that refuses; the caller of the filter adds it. */
  readonly by?: string;
}

/** Checks one node. */
export type Check = (node: NodeInfo) => Refusal | undefined;

/** The reason why no node at all can take a pod. */
export interface Blocked {
  readonly blocked: string;
  /** The filter with this reason; see {@link Refusal.by}. */
  readonly by?: string;
}

/**
 * One reason why nodes cannot take pods. `prepare` is called once for each pod, so that it can compute what it needs.
 * It returns a function that checks one node, or undefined if this reason cannot apply to the pod.
 */
export interface Filter {
  readonly name: string;
  readonly prepare: (pod: PodInfo, view: View) => Check | Blocked | undefined;
}

export function refuse(...reasons: readonly string[]): Refusal {
  return { reasons, isFinal: false };
}

/** Refuses a node. The removal of pods would not change this. */
export function refuseFinally(...reasons: readonly string[]): Refusal {
  return { reasons, isFinal: true };
}
