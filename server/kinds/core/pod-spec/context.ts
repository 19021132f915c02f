import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { FeatureGates } from '../../../config/feature-gates.ts';

/** What defaulting, preparing and checking a pod's spec need to know besides the spec. */
export interface PodSpecContext {
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly release: Release;
  /** Whether containers may have all rights of the host; missing means yes. */
  readonly allowPrivileged?: boolean;
}
