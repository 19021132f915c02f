import { batchV1 } from '#client/generated/resources.ts';
import type { CronJob, CronJobStatus, Job } from '#schema/generated/batch.v1.ts';
import type { ObjectReference } from '#schema/generated/core.v1.ts';
import { parseSchedule, ScheduleError, timeZoneProblem } from '#schema/values/cron-schedule.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { isNamedByTime, jobNameAt } from './job-at.ts';
import { ImpossibleSchedule, missedRuns, nextLook } from './missed-runs.ts';

/** An Event that a plan causes. */
export interface PlannedEvent {
  readonly type: 'normal' | 'warn';
  readonly reason: string;
  readonly message: string;
}

/** The next actions for a cron job. */
export interface CronJobPlan {
  readonly status: CronJobStatus;
  readonly events: readonly PlannedEvent[];
  /** Jobs in its status that are not among the known jobs. They may be gone. */
  readonly missing: readonly ObjectReference[];
  /** Finished jobs beyond the number of kept jobs, the oldest first. */
  readonly old: readonly Job[];
  /** The scheduled time of the job to start, in milliseconds since 1970. */
  readonly start?: number | undefined;
  /** Whether running jobs are deleted before the start. */
  readonly replaces?: boolean | undefined;
  /** The time of the next check, in milliseconds since 1970. */
  readonly lookAgainAt?: number | undefined;
}

/** The condition of a finished job; undefined if it has not finished. */
export function finishOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  const found = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  return found?.type as 'Complete' | 'Failed' | undefined;
}

/** A reference in the form in which the status of a cron job names running jobs. */
export function referenceTo({ metadata }: Job, apiVersion: string): ObjectReference {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  return { kind: batchV1.jobs.kind, namespace: namespace!, name, uid, apiVersion, resourceVersion };
}

/**
 * The next actions for a cron job, from all jobs that it controls.
 *
 * @param now milliseconds since 1970
 * @param apiVersion the apiVersion of jobs in references
 * @param site the address of the product's documents, for messages
 */
export function planOf(
  cronJob: CronJob,
  jobs: readonly Job[],
  { now, apiVersion, site }: { readonly now: number; readonly apiVersion: string; readonly site: string },
): CronJobPlan {
  const events: PlannedEvent[] = [];
  const { status, missing } = observed(cronJob, jobs, apiVersion, events);
  const seen = { status, events, missing, old: tooOld(cronJob, jobs) };
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp || spec === undefined) return seen;
  const zone = spec.timeZone;
  const warn = (reason: string, message: string) => events.push({ type: 'warn', reason, message });
  const zoneProblem = zone === undefined ? undefined : timeZoneProblem(zone);
  if (zoneProblem !== undefined) {
    warn('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(zone)}: ${zoneProblem}`);
    return seen;
  }
  if (spec.suspend === true) return seen;
  if (spec.schedule.includes('TZ')) {
    const url = `${site}/docs/concepts/workloads/controllers/cron-jobs/`;
    const text = JSON.stringify(spec.schedule);
    const message = `CRON_TZ or TZ used in schedule ${text} is not officially supported, see ${url} for more details`;
    warn('UnsupportedSchedule', message);
  }
  try {
    const schedule = parseSchedule(spec.schedule);
    const { last, many } = missedRuns(cronJob, schedule, now, zone);
    const next = { ...seen, lookAgainAt: nextLook(cronJob, schedule, now, zone) };
    if (last === undefined) return next;
    if (many) {
      const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      warn('TooManyMissedTimes', `too many missed start times. ${advice}`);
    }
    const { startingDeadlineSeconds } = spec;
    if (startingDeadlineSeconds !== undefined && last + startingDeadlineSeconds * 1000 < now) {
      warn('MissSchedule', `Missed scheduled time to start a job: ${mailDate(last)}`);
      return next;
    }
    const active = status.active ?? [];
    const name = jobNameAt(cronJob, last);
    if (active.some((reference) => reference.name === name)) {
      const known = status.lastScheduleTime ? timeToMilliseconds(status.lastScheduleTime) : Number.NEGATIVE_INFINITY;
      // The job was started, but the status was not written. The status is corrected now.
      return known >= last ? next : { ...next, status: { ...status, lastScheduleTime: timeText(last) } };
    }
    if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      events.push({ type: 'normal', reason: 'JobAlreadyActive', message });
      return next;
    }
    return { ...next, start: last, replaces: spec.concurrencyPolicy === 'Replace' };
  } catch (error) {
    const text = spec.schedule;
    if (error instanceof ScheduleError)
      warn('UnparseableSchedule', `unparseable schedule: ${JSON.stringify(text)} : ${error.message}`);
    else if (error instanceof ImpossibleSchedule)
      warn('InvalidSchedule', `invalid schedule: ${text} : ${error.message}`);
    else throw error;
    return seen;
  }
}

/** The parts of the status that depend on jobs: the running jobs, and the time of the last success. */
function observed(cronJob: CronJob, jobs: readonly Job[], apiVersion: string, events: PlannedEvent[]) {
  const before = cronJob.status ?? {};
  let active = before.active ?? [];
  let { lastSuccessfulTime } = before;
  const known = new Set<string>();
  for (const job of jobs) {
    const { uid = '', name = '' } = job.metadata;
    known.add(uid);
    const listed = active.some((reference) => reference.uid === uid);
    const finish = finishOf(job);
    if (finish === undefined) {
      if (listed || job.metadata.deletionTimestamp) continue;
      if (isNamedByTime(cronJob, name)) active = [...active, referenceTo(job, apiVersion)];
      else {
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        events.push({ type: 'warn', reason: 'UnexpectedJob', message });
      }
      continue;
    }
    if (listed) {
      active = active.filter((reference) => reference.uid !== uid);
      const message = `Saw completed job: ${name}, condition: ${finish}`;
      events.push({ type: 'normal', reason: 'SawCompletedJob', message });
    }
    const { completionTime } = job.status ?? {};
    if (finish === 'Complete' && completionTime && isLater(completionTime, lastSuccessfulTime))
      lastSuccessfulTime = completionTime;
  }
  const { active: _, lastSuccessfulTime: _time, ...rest } = before;
  const status: CronJobStatus = {
    ...(active.length === 0 ? {} : { active }),
    ...rest,
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
  return { status, missing: active.filter(({ uid = '' }) => !known.has(uid)) };
}

function isLater(time: string, than: string | null | undefined): boolean {
  return !than || timeToMilliseconds(time) > timeToMilliseconds(than);
}

function tooOld({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const beyond = (finish: 'Complete' | 'Failed', limit: number | undefined) => {
    if (limit === undefined) return [];
    const finished = jobs.filter((job) => !job.metadata.deletionTimestamp && finishOf(job) === finish);
    return finished.sort(byStart).slice(0, Math.max(0, finished.length - limit));
  };
  return [...beyond('Complete', spec?.successfulJobsHistoryLimit), ...beyond('Failed', spec?.failedJobsHistoryLimit)];
}

/** Jobs that have not started come last. */
function byStart(a: Job, b: Job): number {
  const start = ({ status }: Job) => (status?.startTime ? timeToMilliseconds(status.startTime) : Number.MAX_VALUE);
  return start(a) - start(b) || (a.metadata.name! < b.metadata.name! ? -1 : 1);
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function mailDate(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000');
}
