import type { WriteCondition } from './write-condition.ts';

/** The state by which admission decided, and which the write must compare: policies and their parameters. */
export interface AdmissionBasis extends WriteCondition {
  /** Whether all objects on which the write depends are unchanged, as far as this replica knows. */
  isCurrent(): boolean;
}

/** Admission records here the facts on which a write depends, for the transaction of the write. */
export interface WriteRests {
  basis?: AdmissionBasis;
}
