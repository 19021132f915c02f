import type { CronJob } from '#schema/generated/batch.v1.ts';
import type { CronSchedule } from '#schema/values/cron-schedule.ts';
import { nextRun } from '#schema/values/next-run.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';

const MINUTE = 60_000;
/** More missed runs than this indicate a wrong clock. An Event warns about it. */
const MANY = 100;
/** How long after the scheduled time the controller looks, because clocks differ. */
const LATER_MS = 100;

/** The error about a schedule that is never due. */
export class ImpossibleSchedule extends Error {}

export interface MissedRuns {
  /** The last time at which the cron job was due and did not run; undefined if it missed none. */
  readonly last: number | undefined;
  /** Whether the number of missed runs is so high that a clock is probably wrong. */
  readonly many: boolean;
}

/**
 * The runs that a cron job has missed since its last run, or since its creation.
 *
 * @param zone the time zone of the schedule; undefined for that of the process
 * @throws ImpossibleSchedule if the schedule names a date that never comes
 */
export function missedRuns(
  cronJob: CronJob,
  schedule: CronSchedule,
  now: number,
  zone: string | undefined,
): MissedRuns {
  const since = Math.max(lastTime(cronJob), deadlineOf(cronJob, now));
  const first = nextRun(schedule, since, zone);
  if (first === undefined) throw new ImpossibleSchedule('time difference between two schedules is less than 1 second');
  if (first > now) return { last: undefined, many: false };
  const second = nextRun(schedule, first, zone) ?? Number.POSITIVE_INFINITY;
  if (second > now) return { last: first, many: false };
  return { last: lastRun(schedule, first, now, zone), many: (now - first) / (second - first) + 1 > MANY };
}

/** The time of the next check of a cron job, in milliseconds since 1970. Undefined if its schedule is never due. */
export function nextLook(
  cronJob: CronJob,
  schedule: CronSchedule,
  now: number,
  zone: string | undefined,
): number | undefined {
  const since = lastTime(cronJob);
  const { everyMs } = schedule;
  if (everyMs === undefined || since > now) return later(nextRun(schedule, Math.max(since, now), zone));
  return later(since + (Math.floor((now - since) / everyMs) + 1) * everyMs);
}

function later(time: number | undefined): number | undefined {
  return time === undefined ? undefined : time + LATER_MS;
}

function lastTime({ metadata, status }: CronJob): number {
  const time = status?.lastScheduleTime ?? metadata.creationTimestamp;
  return time ? timeToMilliseconds(time) : 0;
}

/** Runs that were due before this time are not started late. */
function deadlineOf({ spec }: CronJob, now: number): number {
  return spec?.startingDeadlineSeconds === undefined
    ? Number.NEGATIVE_INFINITY
    : now - spec.startingDeadlineSeconds * 1000;
}

/** The last scheduled time that is not after now. The first scheduled time is `first`. */
function lastRun({ everyMs, ...schedule }: CronSchedule, first: number, now: number, zone: string | undefined): number {
  if (everyMs !== undefined) return first + Math.floor((now - first) / everyMs) * everyMs;
  let last = first;
  let low = first / MINUTE;
  let high = Math.floor(now / MINUTE) + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const next = nextRun(schedule, middle * MINUTE, zone);
    if (next !== undefined && next <= now) {
      last = next;
      low = next / MINUTE;
    } else high = middle;
  }
  const next = nextRun(schedule, low * MINUTE, zone);
  return next !== undefined && next <= now ? next : last;
}
