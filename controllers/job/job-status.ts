import type { JobCondition, JobStatus } from '#schema/generated/batch.v1.ts';
import { timeText, counts as withoutZeros } from '../pods/conditions.ts';
import type { JobFeatures } from './features.ts';
import type { Counts } from './job-counts.ts';
import type { Ending } from './job-ending.ts';
import { isIndexed, isSuspended } from './job-pods.ts';
import type { JobState } from './job-state.ts';

/** An Event that a change of the status causes. */
export interface PlannedEvent {
  readonly type: 'normal' | 'warn';
  readonly reason: string;
  readonly message: string;
}

/** The work done for a job, and its results. */
export interface Done {
  readonly counts: Counts;
  readonly ending: Ending | undefined;
  /** Pods that run or will run, after the creations and deletions of this step. */
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** Whether the controller took steps. Only then may the status report that the job is suspended or resumed. */
  readonly stepped: boolean;
}

export interface NextStatus {
  readonly status: JobStatus;
  readonly events: readonly PlannedEvent[];
}

/** Whether the job has the wanted number of successful pods, and no pod is left. */
export function isComplete({ job, succeeded }: JobState, active: number): boolean {
  const completions = job.spec?.completions;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

/** The status of a job after a step, and the Events for users. */
export function nextStatus(state: JobState, done: Done, features: JobFeatures, now: number): NextStatus {
  const { job } = state;
  const { counts, ending } = done;
  const {
    conditions: before = [],
    active: _active,
    succeeded: _succeeded,
    failed: _failed,
    completedIndexes: _completed,
    failedIndexes: _broken,
    uncountedTerminatedPods: _uncounted,
    terminating: _terminating,
    ready: _ready,
    ...rest
  } = job.status ?? {};
  const events: PlannedEvent[] = [];
  let conditions = before;
  let { startTime } = rest;
  if (!startTime && !isSuspended(job)) startTime = timeText(now);
  if (ending === undefined && done.stepped) {
    const is = before.some(({ type, status }) => type === 'Suspended' && status === 'True');
    if (isSuspended(job) && !is) {
      conditions = withJobCondition(conditions, 'Suspended', 'True', 'JobSuspended', 'Job suspended', now);
      events.push({ type: 'normal', reason: 'Suspended', message: 'Job suspended' });
    } else if (!isSuspended(job) && is) {
      conditions = withJobCondition(conditions, 'Suspended', 'False', 'JobResumed', 'Job resumed', now);
      events.push({ type: 'normal', reason: 'Resumed', message: 'Job resumed' });
      // Deadlines count from this time.
      startTime = timeText(now);
    }
  }
  let completionTime = rest.completionTime;
  if (ending !== undefined) {
    const { success, reason, message, declared, mustBeDeclared } = ending;
    if (declared === undefined && (features.endsInTwoSteps || mustBeDeclared === true)) {
      const type = success ? 'SuccessCriteriaMet' : 'FailureTarget';
      conditions = withJobCondition(conditions, type, 'True', reason, message, now);
    }
    if (counts.settled && done.active === 0 && !(features.endsInTwoSteps && done.terminating > 0)) {
      conditions = withJobCondition(conditions, success ? 'Complete' : 'Failed', 'True', reason, message, now);
      if (success) completionTime = timeText(now);
      events.push(...endEvents(state, counts, ending));
    }
  }
  const status: JobStatus = {
    ...rest,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime ? { startTime } : {}),
    ...(completionTime ? { completionTime } : {}),
    ...withoutZeros({ active: done.active, succeeded: counts.succeeded, failed: counts.failed }),
    ready: done.ready,
    ...(features.terminating ? { terminating: done.terminating } : {}),
    ...(counts.completedIndexes === '' ? {} : { completedIndexes: counts.completedIndexes }),
    ...(counts.failedIndexes === undefined ? {} : { failedIndexes: counts.failedIndexes }),
    uncountedTerminatedPods: counts.uncounted,
  };
  return { status, events };
}

function endEvents({ job }: JobState, { succeeded }: Counts, { success, reason, message }: Ending): PlannedEvent[] {
  if (!success) return [{ type: 'warn', reason, message }];
  const completed: PlannedEvent = { type: 'normal', reason: 'Completed', message: 'Job completed' };
  const { completions } = job.spec ?? {};
  if (isIndexed(job) || completions === undefined || succeeded <= completions) return [completed];
  const much = 'Too many succeeded pods running after completion count reached';
  return [{ type: 'warn', reason: 'TooManySucceededPods', message: much }, completed];
}

/** The conditions of a job with one of them replaced. It keeps its position. */
function withJobCondition(
  conditions: readonly JobCondition[],
  type: string,
  status: string,
  reason: string,
  message: string,
  now: number,
): JobCondition[] {
  const time = timeText(now);
  const next: JobCondition = {
    type,
    status,
    lastProbeTime: time,
    lastTransitionTime: time,
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
  };
  const at = conditions.findIndex((condition) => condition.type === type);
  return at < 0 ? [...conditions, next] : conditions.with(at, next);
}
