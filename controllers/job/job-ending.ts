import type { SuccessPolicy } from '#schema/generated/batch.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { Indexes } from './indexes.ts';
import { containersOf, hasFailed, isSuspended } from './job-pods.ts';
import type { IndexedState, JobState } from './job-state.ts';
import { judge } from './pod-failure-policy.ts';

const LIMIT = 6;

/** The end of a job, with its reason. Before the job has ended, its pods are ended and counted. */
export interface Ending {
  readonly success: boolean;
  readonly reason: string;
  readonly message: string;
  /** Whether the job's status already announces the end. */
  readonly declared?: true;
  /**
   * Whether the status must announce the end before the finalizers of the pods are removed, in every release. This is
   * so if only these pods show the reason.
   */
  readonly mustBeDeclared?: true;
}

const failure = (reason: string, message: string): Ending => ({ success: false, reason, message });

/** The reason why a job ends now, except that all its pods have succeeded; undefined if the job continues. */
export function endingOf(state: JobState, now: number): Ending | undefined {
  return declared(state) ?? byPods(state) ?? byLimits(state, now) ?? (state.indexed && byIndexes(state, state.indexed));
}

/**
 * The time at which the deadline of a job ends, in milliseconds since 1970; undefined if it has no deadline or does not
 * run.
 */
export function deadlineOf({ job }: JobState): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const start = job.status?.startTime;
  return seconds === undefined || !start || isSuspended(job) ? undefined : timeToMilliseconds(start) + seconds * 1000;
}

/** The end that the job's status announces. It is not decided again. */
function declared({ job }: JobState): Ending | undefined {
  for (const type of ['SuccessCriteriaMet', 'FailureTarget']) {
    const found = job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
    if (found === undefined) continue;
    const { reason = '', message = '' } = found;
    return { success: type === 'SuccessCriteriaMet', reason, message, declared: true };
  }
  return undefined;
}

function byPods({ job, pods }: JobState): Ending | undefined {
  const policy = job.spec?.podFailurePolicy;
  if (policy === undefined) return undefined;
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? judge(policy, pod).failsJob : undefined;
    if (message !== undefined) return { ...failure('PodFailurePolicy', message), mustBeDeclared: true };
  }
  return undefined;
}

function byLimits(state: JobState, now: number): Ending | undefined {
  const limit = state.job.spec?.backoffLimit ?? LIMIT;
  if (state.failed > limit || restartsReach(state, limit))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const deadline = deadlineOf(state);
  if (deadline !== undefined && now >= deadline)
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  return undefined;
}

/** Whether restarts of containers on nodes reach the limit. They count as failures too. */
function restartsReach({ job, pods }: JobState, limit: number): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const pod of pods)
    if (pod.status?.phase === 'Running' || pod.status?.phase === 'Pending')
      for (const { restartCount } of containersOf(pod)) restarts += restartCount;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function byIndexes({ job }: JobState, { completions, succeeded, failed }: IndexedState): Ending | undefined {
  if (failed !== undefined) {
    const most = job.spec?.maxFailedIndexes;
    if (most !== undefined && failed.size > most) {
      const message = 'Job has exceeded the specified maximal number of failed indexes';
      return failure('MaxFailedIndexesExceeded', message);
    }
    if (failed.size > 0 && failed.size + succeeded.size >= completions)
      return failure('FailedIndexes', 'Job has failed indexes');
  }
  const rule = ruleThatIsMet(job.spec?.successPolicy, completions, succeeded);
  if (rule === undefined) return undefined;
  return { success: true, reason: 'SuccessPolicy', message: `Matched rules at index ${rule}`, mustBeDeclared: true };
}

function ruleThatIsMet(policy: SuccessPolicy | undefined, completions: number, succeeded: Indexes): number | undefined {
  const found = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = Indexes.parse(succeededIndexes, completions);
    if (required.size === 0) return false;
    const common = required.common(succeeded);
    return common === required.size || (succeededCount !== undefined && common >= succeededCount);
  });
  return found < 0 ? undefined : found;
}
