import type { WriteCondition } from './write-condition.ts';

/** What admission has found of the state that a write rests on: policies, and their parameters. */
export interface AdmissionBasis extends WriteCondition {
  /** Whether all of it is still so, as far as this replica knows. */
  isCurrent(): boolean;
}

/** Where admission leaves what a write rests on, for the transaction of the write. */
export interface WriteRests {
  basis?: AdmissionBasis;
}
