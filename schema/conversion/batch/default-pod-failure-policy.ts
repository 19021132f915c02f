import type { PodFailurePolicy } from '../../generated/batch.v1.ts';

/** Conditions of a rule are met when they are true unless it says otherwise. In place. */
export function defaultPodFailurePolicy(policy: PodFailurePolicy | undefined): void {
  for (const rule of policy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  }
}
