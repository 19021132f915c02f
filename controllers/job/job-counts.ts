import type { JobStatus } from '#schema/generated/batch.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { Indexes } from './indexes.ts';
import type { Ending } from './job-ending.ts';
import { hasFailed, isIndexed } from './job-pods.ts';
import { type JobState, mayCount } from './job-state.ts';
import { judge } from './pod-failure-policy.ts';

/**
 * The largest number of pods that a status lists before they are counted. Further pods wait, so that the status stays
 * small.
 */
const MOST_UNCOUNTED = 500;

/** The counts of a job, and the pods that may lose their finalizers when the status has these counts. */
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: string;
  readonly failedIndexes?: string;
  readonly uncounted: NonNullable<JobStatus['uncountedTerminatedPods']>;
  /** Pods that lose their finalizer after the status is written. */
  readonly release: readonly Pod[];
  /** Whether all pods have been counted and have lost their finalizers. */
  readonly settled: boolean;
}

/**
 * Counts the pods of a job, each exactly once, whatever is interrupted. First, the status lists the uid of a pod that
 * has ended. After this write, the pod loses its finalizer. Then one write removes the uid from the list and increases
 * the count. Pods with indexes that succeed need no list, because an index is completed only once.
 */
export function countPods(state: JobState, ending: Ending | undefined): Counts {
  const { job, pods, words, indexed } = state;
  const { status = {}, spec } = job;
  const tracked = pods.filter((pod) => words.isTracked(pod));
  const held = new Set(tracked.map(({ metadata }) => metadata.uid!));
  const before = status.uncountedTerminatedPods ?? {};
  const uncounted = {
    succeeded: (before.succeeded ?? []).filter((uid) => held.has(uid)),
    failed: (before.failed ?? []).filter((uid) => held.has(uid)),
  };
  const gone = (list: 'succeeded' | 'failed') => (before[list]?.length ?? 0) - uncounted[list].length;
  const counted = {
    succeeded: (status.succeeded ?? 0) + gone('succeeded'),
    failed: (status.failed ?? 0) + gone('failed'),
  };

  const listed = { succeeded: new Set(uncounted.succeeded), failed: new Set(uncounted.failed) };
  const release: Pod[] = [];
  const completed: number[] = [];
  const inOrder = indexed === undefined ? tracked : [...tracked].sort((a, b) => orderOf(a) - orderOf(b));
  function orderOf(pod: Pod): number {
    return words.indexOf(pod) ?? -1;
  }
  let waiting = false;
  for (const pod of inOrder) {
    const failed = hasFailed(pod, job);
    const isKept = indexed?.kept.get(words.indexOf(pod) ?? -1)?.metadata.uid === pod.metadata.uid;
    const succeeded = pod.status?.phase === 'Succeeded';
    if (!job.metadata.deletionTimestamp && ending === undefined && !succeeded && (!failed || isKept)) continue;
    if (completed.length + uncounted.succeeded.length + uncounted.failed.length >= MOST_UNCOUNTED) {
      waiting = true;
      break;
    }
    release.push(pod);
    const uid = pod.metadata.uid!;
    if (listed.succeeded.has(uid) || listed.failed.has(uid) || !mayCount(state, pod)) continue;
    if (succeeded) {
      if (indexed === undefined) uncounted.succeeded.push(uid);
      else if (!indexed.listed.has(words.indexOf(pod)!)) completed.push(words.indexOf(pod)!);
    } else if (failed || ending?.success === false) {
      if (judge(spec?.podFailurePolicy, pod).counts) uncounted.failed.push(uid);
    }
  }
  const completedIndexes = indexed?.listed.with(Indexes.of(completed)) ?? Indexes.none;
  return {
    succeeded: isIndexed(job) ? completedIndexes.size : counted.succeeded,
    failed: counted.failed,
    completedIndexes: String(completedIndexes),
    ...(indexed?.failed === undefined ? {} : { failedIndexes: String(indexed.failed) }),
    uncounted: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
    },
    release,
    settled: !waiting && tracked.length === 0 && uncounted.succeeded.length + uncounted.failed.length === 0,
  };
}
