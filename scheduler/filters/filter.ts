import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';

/** Why a node cannot take a pod. */
export interface Refusal {
  /** As users read them, after the number of nodes: `Insufficient cpu`. */
  readonly reasons: readonly string[];
  /** Other pods of the node could leave, and it would still not fit. */
  readonly isFinal: boolean;
}

/** Answers for one node after the other. */
export type Check = (node: NodeInfo) => Refusal | undefined;

/** Why no node at all can take a pod. */
export interface Blocked {
  readonly blocked: string;
}

/**
 * One reason for which nodes cannot take pods. It is asked once for a pod, so that it can count what it needs, and
 * answers with a check of nodes; with nothing, where it has nothing to say of this pod.
 */
export interface Filter {
  readonly name: string;
  readonly prepare: (pod: PodInfo, view: View) => Check | Blocked | undefined;
}

export function refuse(...reasons: readonly string[]): Refusal {
  return { reasons, isFinal: false };
}

/** Refuses a node whatever pods leave it. */
export function refuseFinally(...reasons: readonly string[]): Refusal {
  return { reasons, isFinal: true };
}
