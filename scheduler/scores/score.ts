import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { View } from '../state/view.ts';

/** The best that a score can give. */
export const BEST = 100;

/** Compares nodes for one pod. */
export interface Comparison {
  /** Any number for a node. */
  readonly of: (node: NodeInfo) => number;
  /** Scales the numbers of all nodes to the range from 0 to {@link BEST}; absent if they are in it already. */
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

/** The highest number is best, and nothing is worst. */
export function highestIsBest(numbers: readonly number[]): readonly number[] {
  const most = Math.max(0, ...numbers);
  return most === 0 ? numbers.map(() => 0) : numbers.map((number) => Math.trunc((BEST * number) / most));
}

/** Nothing is best, and the highest number is worst. */
export function lowestIsBest(numbers: readonly number[]): readonly number[] {
  return highestIsBest(numbers).map((number) => BEST - number);
}

/** The lowest number is worst and the highest is best; all alike are worst. */
export function between(numbers: readonly number[]): readonly number[] {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return numbers.map((number) => (most === least ? 0 : Math.trunc((BEST * (number - least)) / (most - least))));
}
