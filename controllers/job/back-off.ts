import type { Job } from '#schema/generated/batch.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { endedAt, hasFailed, type JobWords } from './job-pods.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** The waiting time in milliseconds after this number of failures. The last of them was at `lastFailure`. */
function waitAfter(failures: number, lastFailure: number, now: number): number {
  if (failures === 0) return 0;
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return Math.max(0, lastFailure + wait - now);
}

/**
 * The delay before a job gets new pods, from the failures since its last success. It is computed from the pods, which
 * exist until the job is deleted. So a new leader waits as long as the previous one.
 */
export function backOff(job: Job, pods: readonly Pod[], words: JobWords, now: number): number {
  let lastSuccess = Number.NEGATIVE_INFINITY;
  const failures: number[] = [];
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded') lastSuccess = Math.max(lastSuccess, endedAt(pod));
    // A deleted pod without the finalizer was removed by this controller. It did not fail.
    else if (hasFailed(pod, job) && (words.isTracked(pod) || !pod.metadata.deletionTimestamp))
      failures.push(endedAt(pod));
  }
  const since = failures.filter((time) => time > lastSuccess);
  return waitAfter(since.length, Math.max(...since, 0), now);
}

/** The waiting time before an index gets a new pod after a failure, in milliseconds. */
export function backOffOfIndex(last: Pod | undefined, words: JobWords, now: number): number {
  if (last === undefined) return 0;
  const { counted, ignored } = words.failuresBefore(last);
  return waitAfter(counted + ignored + 1, endedAt(last), now);
}
