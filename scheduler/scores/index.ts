import { balancedAllocation, leastAllocated } from './allocation.ts';
import { imageLocality } from './image-locality.ts';
import { preferredNodes } from './node-affinity.ts';
import { preferredPods } from './pod-affinity.ts';
import type { Score } from './score.ts';
import { preferredTaints } from './taint-toleration.ts';
import { preferredSpread } from './topology-spread.ts';

/** All scores, with the weights of the field's default profile. */
export const scores: readonly Score[] = [
  preferredTaints,
  preferredNodes,
  preferredSpread,
  preferredPods,
  leastAllocated,
  balancedAllocation,
  imageLocality,
];
