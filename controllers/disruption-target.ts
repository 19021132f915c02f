import type { Pod } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';

const DISRUPTION_TARGET = 'DisruptionTarget';

/** The fields of pods that {@link disruptionTarget} reads. */
export const CONDITION_FIELDS = ['status.conditions.type', 'status.conditions.status'];

/**
 * The condition, for a strategic patch, that informs a pod's owner: the cluster ends the pod, and the pod did not fail.
 * Empty if the pod has the condition already.
 */
export function disruptionTarget({ status }: Pod, reason: string, message: string, now: number) {
  if (status?.conditions?.some((known) => known.type === DISRUPTION_TARGET && known.status === 'True')) return [];
  return [{ type: DISRUPTION_TARGET, status: 'True', reason, message, lastTransitionTime: formatTime(now) }];
}
