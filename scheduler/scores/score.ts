import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';

/** The best that a score can give. */
export const BEST = 100;

/** Compares nodes for one pod. */
export interface Comparison {
  /** A number for a node, on any scale. */
  readonly of: (node: NodeInfo) => number;
  /** Scales the numbers of all nodes to the range from 0 to {@link BEST}. Absent if they are already in this range. */
  readonly level?: (numbers: readonly number[], nodes: readonly NodeInfo[]) => readonly number[];
}

/** One reason to prefer a node over another. */
export interface Score {
  readonly name: string;
  /** The weight of the score. */
  readonly weight: number;
  /**
   * Called once for a pod, with the nodes that can take it; returns nothing if all these nodes are equal for the pod.
   */
  readonly prepare: (pod: PodInfo, view: View, nodes: readonly NodeInfo[]) => Comparison | undefined;
}

/** Scales so that the highest number becomes the best score, and zero becomes the worst. */
export function highestIsBest(numbers: readonly number[]): readonly number[] {
  const most = Math.max(0, ...numbers);
  return most === 0 ? numbers.map(() => 0) : numbers.map((number) => Math.trunc((BEST * number) / most));
}

/** Scales so that zero becomes the best score, and the highest number becomes the worst. */
export function lowestIsBest(numbers: readonly number[]): readonly number[] {
  return highestIsBest(numbers).map((number) => BEST - number);
}

/**
 * Scales so that the highest number becomes the best score, and the lowest becomes the worst. If all are equal, all get
 * the worst score.
 */
export function between(numbers: readonly number[]): readonly number[] {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return numbers.map((number) => (most === least ? 0 : Math.trunc((BEST * (number - least)) / (most - least))));
}
