import type { Release } from '#base/release/release.ts';

/** The features of jobs in a release. The server drops unknown fields, so the controller does not write them. */
export interface JobFeatures {
  /** `status.terminating`. */
  readonly terminating: boolean;
  /** A job reports that it will end before its pods have ended, and that it has ended when they have. */
  readonly endsInTwoSteps: boolean;
  /** Pods have their completion index as a label, too. */
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
