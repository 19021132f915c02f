import type { Filter } from '../filters/filter.ts';
import { filters } from '../filters/index.ts';
import { scores } from '../scores/index.ts';
import type { Score } from '../scores/score.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';

/** The rules for pods that name a scheduler. */
export interface Profile {
  /** The name of the scheduler in the pods that the profile is for, and in its events. */
  readonly schedulerName: string;
  readonly filters: readonly Filter[];
  /** The scores with the weights of this profile. */
  readonly scores: readonly Score[];
  /** Whether less important pods are evicted to make space. */
  readonly preempts: boolean;
  /** The percentage of the nodes that is enough to choose from. 0 means that it depends on the number of nodes. */
  readonly percentageOfNodesToScore: number;
}

/** All filters and scores, with the weights of the field. */
export const defaultProfile: Profile = {
  schedulerName: SCHEDULER_NAME,
  filters,
  scores,
  preempts: true,
  percentageOfNodesToScore: 0,
};

/** The setup of a scheduler. */
export interface Setup {
  /** Profiles by the scheduler names in pods. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The wait of a pod after its first failure. It doubles after each further failure, up to the longest wait. */
  readonly firstBackoffMs: number;
  readonly longestBackoffMs: number;
}

export const defaultSetup: Setup = {
  profiles: new Map([[SCHEDULER_NAME, defaultProfile]]),
  firstBackoffMs: 1000,
  longestBackoffMs: 10_000,
};
