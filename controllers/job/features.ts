import type { Release } from '#base/release/release.ts';

/** The features of jobs in a release. The server drops unknown fields, so the controller does not write them. */
export interface JobFeatures {
  /** Whether the status has `terminating`. */
  readonly terminating: boolean;
  /** Whether a job reports that it will end before its pods have ended, and reports its end when they have ended. */
  readonly endsInTwoSteps: boolean;
  /** Whether pods also have their completion index as a label. */
  readonly indexLabel: boolean;
}

/** The features of jobs of a release. */
export function jobFeatures(release: Release): JobFeatures {
  return {
    terminating: release.atLeast(29),
    endsInTwoSteps: release.atLeast(31),
    indexLabel: release.atLeast(28),
  };
}
