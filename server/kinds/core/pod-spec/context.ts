import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { FeatureGates } from '../../../config/feature-gates.ts';

/** The inputs besides the spec for defaulting, preparing and validating a pod's spec. */
export interface PodSpecContext {
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly release: Release;
  /** Whether containers may have all rights of the host. Missing means yes. */
  readonly allowPrivileged?: boolean;
}
