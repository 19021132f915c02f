import type { Pod } from '#schema/generated/core.v1.ts';
import { availableIn, isReady } from '../pods/pod-state.ts';

/** The wanted state of a stateful set, and the pods that it has. */
export interface Ordered {
  /** The wanted number of pods, and the number of the first one. */
  readonly replicas: number;
  readonly start: number;
  /** Its pods by number. */
  readonly pods: ReadonlyMap<number, Pod>;
  /** Whether pods are created and deleted at once, and not one after the other. */
  readonly parallel: boolean;
  /** Whether pods are replaced when the template changes. */
  readonly rolling: boolean;
  /** Pods below this number keep their revision. */
  readonly partition: number;
  /** How many pods may be unavailable while the template changes. */
  readonly unavailable: number;
  readonly minReadySeconds: number;
  /** Whether a pod has the present template. */
  readonly isUpdated: (pod: Pod) => boolean;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** A step that a set is to take. */
export type Step =
  | { readonly kind: 'create'; readonly ordinal: number; readonly template: 'current' | 'update' }
  | { readonly kind: 'delete'; readonly ordinal: number; readonly pod: Pod; readonly why: 'ended' | 'extra' | 'old' };

/**
 * The next steps of a set. There are none if it must wait or is complete. In order means one step, and only after all
 * pods before it are available. In parallel means all steps that are due.
 */
export function nextSteps(ordered: Ordered): Step[] {
  const { replicas, start, pods, parallel, rolling, partition } = ordered;
  const steps: Step[] = [];
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod === undefined) {
      const template = rolling && ordinal < start + partition ? 'current' : 'update';
      steps.push({ kind: 'create', ordinal, template });
    } else if (hasEnded(pod) && !pod.metadata.deletionTimestamp) {
      steps.push({ kind: 'delete', ordinal, pod, why: 'ended' });
    } else if (parallel || isSettled(pod, ordered)) continue;
    if (!parallel) return steps;
  }
  const extra = [...pods].filter(([ordinal]) => ordinal < start || ordinal >= start + replicas);
  extra.sort(([a], [b]) => b - a);
  const unhealthy = firstUnhealthy(ordered, extra);
  for (const [ordinal, pod] of extra) {
    if (!pod.metadata.deletionTimestamp) {
      // A pod that is not ready is deleted only if it is the first of all unready pods.
      if (parallel || isSettled(pod, ordered) || pod === unhealthy)
        steps.push({ kind: 'delete', ordinal, pod, why: 'extra' });
    }
    if (!parallel) return steps;
  }
  if (steps.length > 0 || !rolling) return steps;
  return replaced(ordered);
}

/** Old pods to replace, from the last one on, as long as not too many are unavailable. */
function replaced(ordered: Ordered): Step[] {
  const { replicas, start, pods, partition, unavailable, isUpdated } = ordered;
  const steps: Step[] = [];
  let spare = Math.max(1, unavailable);
  for (let ordinal = start + replicas - 1; ordinal >= start + partition && spare > 0; ordinal--) {
    const pod = pods.get(ordinal);
    if (pod !== undefined && !pod.metadata.deletionTimestamp && !isUpdated(pod)) {
      steps.push({ kind: 'delete', ordinal, pod, why: 'old' });
      spare--;
    } else if (pod === undefined || !isSettled(pod, ordered)) spare--;
  }
  return steps;
}

/** The pod with the lowest number that is not healthy. Pods that will stay come first. */
function firstUnhealthy(
  { replicas, start, pods }: Ordered,
  extra: readonly (readonly [number, Pod])[],
): Pod | undefined {
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod !== undefined && !isHealthy(pod)) return pod;
  }
  return extra.findLast(([, pod]) => !isHealthy(pod))?.[1];
}

function isHealthy(pod: Pod): boolean {
  return isRunning(pod) && !pod.metadata.deletionTimestamp;
}

/** Whether a pod is available and will stay. */
function isSettled(pod: Pod, { minReadySeconds, now }: Pick<Ordered, 'minReadySeconds' | 'now'>): boolean {
  return isHealthy(pod) && availableIn(pod, minReadySeconds, now) === 0;
}

/** Whether a pod runs and is ready. */
export function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod);
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}
