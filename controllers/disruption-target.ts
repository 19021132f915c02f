import type { Pod } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';

const DISRUPTION_TARGET = 'DisruptionTarget';

/** The fields of pods that {@link disruptionTarget} reads. */
export const CONDITION_FIELDS = ['status.conditions.type', 'status.conditions.status'];

/**
 * The condition that tells the owner of a pod why the pod ends: the cluster ends it, and the pod has not failed. The
 * result is a list for a strategic patch. It is empty if the pod already has the condition.
 */
export function disruptionTarget({ status }: Pod, reason: string, message: string, now: number) {
  if (status?.conditions?.some((known) => known.type === DISRUPTION_TARGET && known.status === 'True')) return [];
  return [{ type: DISRUPTION_TARGET, status: 'True', reason, message, lastTransitionTime: formatTime(now) }];
}
