import type { Pod } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';

const DISRUPTION_TARGET = 'DisruptionTarget';

/** The fields of pods that {@link disruptionTarget} reads. */
export const CONDITION_FIELDS = ['status.conditions.type', 'status.conditions.status'];

/**
 * The condition, for a strategic patch, that tells a pod's owner that the cluster ends the pod and that the pod did not
 * fail. Empty if the pod has it already.
 */
export function disruptionTarget({ status }: Pod, reason: string, message: string, now: number) {
  if (status?.conditions?.some((known) => known.type === DISRUPTION_TARGET && known.status === 'True')) return [];
  return [{ type: DISRUPTION_TARGET, status: 'True', reason, message, lastTransitionTime: formatTime(now) }];
}
