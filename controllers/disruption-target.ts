import type { Pod } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';

const DISRUPTION_TARGET = 'DisruptionTarget';

/** The fields of pods by which {@link disruptionTarget} sees whether the condition is there. */
export const CONDITION_FIELDS = ['status.conditions.type', 'status.conditions.status'];

/**
 * The condition, for a strategic patch, that tells the owner of a pod that the cluster ends it, through no fault of the
 * pod's own; nothing where the pod has it.
 */
export function disruptionTarget({ status }: Pod, reason: string, message: string, now: number) {
  if (status?.conditions?.some((known) => known.type === DISRUPTION_TARGET && known.status === 'True')) return [];
  return [{ type: DISRUPTION_TARGET, status: 'True', reason, message, lastTransitionTime: formatTime(now) }];
}
