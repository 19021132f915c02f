import type { PodFailurePolicy } from '../../generated/batch.v1.ts';

/** The default status in a condition of a rule is True. Changes its argument. */
export function defaultPodFailurePolicy(policy: PodFailurePolicy | undefined): void {
  for (const rule of policy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  }
}
