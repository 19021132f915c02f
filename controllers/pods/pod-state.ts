import type { Pod } from '#schema/generated/core.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';

/** The fields of pods that {@link isActive}, {@link isReady}, {@link readyFor} and `byDeletion` read. */
export const STATE_FIELDS = [
  'spec.nodeName',
  'status.phase',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.lastTransitionTime',
  'status.containerStatuses.restartCount',
];

/** Whether a pod runs or will run: it has not ended and is not being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && !metadata.deletionTimestamp;
}

/** Whether a pod reports that it is ready. */
export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/**
 * The time since which a pod is ready, in milliseconds since 1970; undefined if it is not ready or its time is unknown.
 */
export function readySince(pod: Pod): number | undefined {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'True' || !ready.lastTransitionTime) return undefined;
  return timeToMilliseconds(ready.lastTransitionTime);
}

/**
 * The number of milliseconds until a ready pod is available. It must have been ready for `minReadySeconds`. 0 if it is
 * available now, and undefined if it is not ready.
 */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds <= 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** A condition of a pod by its type. */
export function conditionOf({ status }: Pod, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

/**
 * How many pods are ready and how many are available, and the number of milliseconds until the next pod becomes
 * available.
 */
export interface Counted {
  readonly ready: number;
  readonly available: number;
  readonly nextInMs: number | undefined;
}

/** Counts ready and available pods. */
export function countReady(pods: Iterable<Pod>, minReadySeconds: number, now: number): Counted {
  let ready = 0;
  let available = 0;
  let nextInMs: number | undefined;
  for (const pod of pods) {
    const left = availableIn(pod, minReadySeconds, now);
    if (left !== undefined || isReady(pod)) ready++;
    if (left === 0) available++;
    else if (left !== undefined) nextInMs = Math.min(nextInMs ?? left, left);
  }
  return { ready, available, nextInMs };
}
