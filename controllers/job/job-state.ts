import type { Job } from '#schema/generated/batch.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { isActive } from '../pods/pod-state.ts';
import { Indexes } from './indexes.ts';
import { endedAt, hasFailed, isIndexed, isTerminating, type JobWords } from './job-pods.ts';
import { judge } from './pod-failure-policy.ts';

/** The state of a job and its pods, read once for all decisions. */
export interface JobState {
  readonly job: Job;
  readonly words: JobWords;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** Pods that succeeded or failed, including those that the status does not count yet. */
  readonly succeeded: number;
  readonly failed: number;
  /** The state of the indexes, if the job has indexes. */
  readonly indexed?: IndexedState;
}

export interface IndexedState {
  readonly completions: number;
  /** The completed indexes in the status. */
  readonly listed: Indexes;
  readonly succeeded: Indexes;
  /** The failed indexes. Present if each index has a separate limit. */
  readonly failed?: Indexes;
  /** The last failed pod of each index. It stays until another pod replaces it and records its failures. */
  readonly kept: ReadonlyMap<number, Pod>;
}

/** Whether a pod may count. In a job with indexes, the pod needs one of the indexes of the job. */
export function mayCount({ job, words }: Pick<JobState, 'job' | 'words'>, pod: Pod): boolean {
  if (!isIndexed(job)) return true;
  const index = words.indexOf(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0);
}

/** The state of a job, from the job and all of its pods. */
export function stateOf(job: Job, pods: readonly Pod[], words: JobWords): JobState {
  const { status = {}, spec } = job;
  const uncounted = status.uncountedTerminatedPods ?? {};
  const known = { succeeded: new Set(uncounted.succeeded), failed: new Set(uncounted.failed) };
  const fresh = pods.filter((pod) => words.isTracked(pod) && mayCount({ job, words }, pod));
  const succeeded = fresh.filter((pod) => pod.status?.phase === 'Succeeded' && !known.succeeded.has(pod.metadata.uid!));
  const failed = fresh.filter(
    (pod) => hasFailed(pod, job) && !known.failed.has(pod.metadata.uid!) && judge(spec?.podFailurePolicy, pod).counts,
  );
  const active = pods.filter(isActive);
  const indexed = isIndexed(job) ? indexedState(job, fresh, active, words) : undefined;
  return {
    job,
    words,
    pods,
    active,
    terminating: pods.filter(isTerminating),
    succeeded: indexed?.succeeded.size ?? (status.succeeded ?? 0) + succeeded.length + known.succeeded.size,
    failed: (status.failed ?? 0) + failed.length + known.failed.size,
    ...(indexed === undefined ? {} : { indexed }),
  };
}

function indexedState(job: Job, fresh: readonly Pod[], active: readonly Pod[], words: JobWords): IndexedState {
  const { status = {}, spec } = job;
  const completions = spec?.completions ?? 0;
  const listed = Indexes.parse(status.completedIndexes, completions);
  const indexesOf = (pods: readonly Pod[]) => Indexes.of(pods.map((pod) => words.indexOf(pod)!));
  const succeeded = listed.with(indexesOf(fresh.filter((pod) => pod.status?.phase === 'Succeeded')));
  const limit = spec?.backoffLimitPerIndex;
  if (limit === undefined) return { completions, listed, succeeded, kept: new Map() };
  const broken = fresh.filter((pod) => {
    if (!hasFailed(pod, job)) return false;
    const { counts, action } = judge(spec?.podFailurePolicy, pod);
    return action === 'FailIndex' || (counts && words.failuresBefore(pod).counted >= limit);
  });
  const failed = Indexes.parse(status.failedIndexes, completions).with(indexesOf(broken));
  const running = indexesOf(active.filter((pod) => words.indexOf(pod) !== undefined));
  const kept = new Map<number, Pod>();
  for (const pod of fresh) {
    const index = words.indexOf(pod)!;
    if (!hasFailed(pod, job) || succeeded.has(index) || failed.has(index) || running.has(index)) continue;
    const other = kept.get(index);
    if (other === undefined || isLater(pod, other, words)) kept.set(index, pod);
  }
  return { completions, listed, succeeded, failed, kept };
}

function isLater(pod: Pod, other: Pod, words: JobWords): boolean {
  const total = ({ counted, ignored }: ReturnType<JobWords['failuresBefore']>) => counted + ignored;
  const difference = total(words.failuresBefore(pod)) - total(words.failuresBefore(other));
  return difference === 0 ? endedAt(pod) >= endedAt(other) : difference > 0;
}
