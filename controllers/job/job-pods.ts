import type { Naming } from '#base/naming/naming.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import type { ContainerStatus, Pod } from '#schema/generated/core.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { conditionOf, STATE_FIELDS } from '../pods/pod-state.ts';

const CONTAINER_FIELDS = ['name', 'restartCount', 'state.terminated.exitCode', 'state.terminated.finishedAt'];

/** The fields of pods that the code for jobs reads. */
export const JOB_POD_FIELDS = [
  ...STATE_FIELDS,
  ...CONTAINER_FIELDS.map((field) => `status.containerStatuses.${field}`),
  ...CONTAINER_FIELDS.map((field) => `status.initContainerStatuses.${field}`),
];

/** The names by which a job and its pods refer to each other. */
export class JobWords {
  /** The finalizer that keeps a pod until it is counted. */
  readonly finalizer: string;
  /** The annotation, and label, with the completion index of a pod. */
  readonly index: string;
  /**
   * Annotations with the numbers of earlier failures of pods with the same index: counted failures, and failures that
   * were not counted.
   */
  readonly failures: string;
  readonly ignoredFailures: string;
  /** The name of this controller in `managedBy`. Jobs with another name there belong to other controllers. */
  readonly manager: string;

  constructor(naming: Naming) {
    this.finalizer = naming.key('batch/job-tracking');
    this.index = naming.key('batch/job-completion-index');
    this.failures = naming.key('batch/job-index-failure-count');
    this.ignoredFailures = naming.key('batch/job-index-ignored-failure-count');
    this.manager = naming.key('job-controller');
  }

  /** Whether a pod is kept until it is counted. */
  isTracked({ metadata }: Pod): boolean {
    return metadata.finalizers?.includes(this.finalizer) === true;
  }

  /** The completion index of a pod; undefined if it has none. */
  indexOf(pod: Pod): number | undefined {
    return this.#count(pod, this.index);
  }

  /** How many failures of pods with the same index before this one were counted, and how many were ignored. */
  failuresBefore(pod: Pod): { readonly counted: number; readonly ignored: number } {
    return { counted: this.#count(pod, this.failures) ?? 0, ignored: this.#count(pod, this.ignoredFailures) ?? 0 };
  }

  #count({ metadata: { annotations = {} } }: Pod, key: string): number | undefined {
    const text = Object.hasOwn(annotations, key) ? annotations[key]! : '';
    return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  }
}

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

/** The type of the condition of an ended job; undefined if it has not ended. */
export function endOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  const end = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  return end?.type as 'Complete' | 'Failed' | undefined;
}

/** Whether a pod is replaced only when it has failed, and not already when it is being deleted. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/**
 * Whether a pod counts as failed. A pod that is being deleted counts, because it may never report its end. But it does
 * not count if the job replaces only failed pods.
 */
export function hasFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status?.phase === 'Failed') return true;
  return !replacesOnlyFailed(job) && Boolean(metadata.deletionTimestamp) && status?.phase !== 'Succeeded';
}

/** Whether a pod is being deleted and has not ended yet. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return Boolean(metadata.deletionTimestamp) && status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

/** The end of a pod in milliseconds since 1970, if its status or metadata contains it. */
export function endedAt(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt);
  if (ends.length > 0 && ends.every(Boolean)) return Math.max(...ends.map((end) => timeToMilliseconds(end!)));
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime) return timeToMilliseconds(ready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  if (deletionTimestamp) return timeToMilliseconds(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return creationTimestamp ? timeToMilliseconds(creationTimestamp) : 0;
}

/** All containers of a pod that have a status; those that run first are last. */
export function containersOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
}
