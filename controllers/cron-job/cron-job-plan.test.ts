import assert from 'node:assert/strict';
import type { CronJob, CronJobSpec, CronJobStatus, Job } from '#schema/generated/batch.v1.ts';
import { parseSchedule } from '#schema/values/cron-schedule.ts';
import { planOf } from './cron-job-plan.ts';
import { missedRuns, nextLook } from './missed-runs.ts';

const CREATED = '2026-01-01T10:00:30Z';
const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const minutes = (time: string) => at(time) / 60_000;

function cronJobOf(spec: Partial<CronJobSpec> = {}, status: CronJobStatus = {}): CronJob {
  const metadata = { name: 'c', namespace: 'n', uid: 'u', creationTimestamp: CREATED };
  return { metadata, spec: { schedule: '*/5 * * * *', timeZone: 'UTC', jobTemplate: {}, ...spec }, status };
}

function jobOf(name: string, finish?: 'Complete' | 'Failed', times: Job['status'] = {}): Job {
  const conditions = finish === undefined ? [] : [{ type: finish, status: 'True' }];
  return {
    metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion: '7' },
    status: { conditions, ...times },
  };
}

const reference = (name: string) => ({
  kind: 'Job',
  namespace: 'n',
  name,
  uid: `uid-${name}`,
  apiVersion: 'batch/v1',
  resourceVersion: '7',
});

const plan = (cronJob: CronJob, jobs: readonly Job[], time: string) =>
  planOf(cronJob, jobs, { now: at(time), apiVersion: 'batch/v1', site: 'https://orch.io' });

describe('missedRuns and nextLook', () => {
  type Row = readonly [
    what: string,
    spec: Partial<CronJobSpec>,
    last: string | undefined,
    now: string,
    missed?: string,
  ];
  const rows: readonly Row[] = [
    ['no run before the first time', {}, undefined, '10:04:59'],
    ['the first run', {}, undefined, '10:05:00', '10:05:00'],
    ['the last of several runs', {}, undefined, '10:33:10', '10:30:00'],
    ['no run since the last run', {}, '10:30:00', '10:33:10'],
    ['the run after the last run', {}, '10:30:00', '10:35:00', '10:35:00'],
    ['a run within the starting deadline', { startingDeadlineSeconds: 200 }, undefined, '10:33:10', '10:30:00'],
    ['no run after the starting deadline', { startingDeadlineSeconds: 100 }, undefined, '10:33:10'],
    ['runs that are not evenly spaced', { schedule: '0,1,50 10,11 * * *' }, undefined, '11:49:00', '11:01:00'],
    ['intervals from the creation time', { schedule: '@every 7m' }, undefined, '10:20:00', '10:14:30'],
    ['intervals from the last run', { schedule: '@every 7m' }, '10:14:30', '10:40:00', '10:35:30'],
  ];
  for (const [what, spec, last, now, missed] of rows)
    it(what, () => {
      const status = last === undefined ? {} : { lastScheduleTime: `2026-01-01T${last}Z` };
      const cronJob = cronJobOf(spec, status);
      const schedule = parseSchedule(cronJob.spec!.schedule);
      const found = missedRuns(cronJob, schedule, at(now), 'UTC');
      assert.equal(found.last, missed === undefined ? undefined : at(missed));
      assert.equal(found.many, false);
    });

  it('reports many missed runs after a long time, without counting all of them', () => {
    const cronJob = cronJobOf({ schedule: '* * * * 4' });
    const now = Date.parse('2027-06-01T00:00:00Z');
    const found = missedRuns(cronJob, parseSchedule('* * * * 4'), now, 'Europe/Rome');
    assert.deepEqual(found, { last: Date.parse('2027-05-27T21:59:00Z'), many: true });
  });

  it('schedules the next check shortly after the next run', () => {
    const look = (spec: Partial<CronJobSpec>, now: string) => {
      const cronJob = cronJobOf(spec);
      return nextLook(cronJob, parseSchedule(cronJob.spec!.schedule), at(now), 'UTC');
    };
    assert.equal(look({}, '10:01:00'), at('10:05:00') + 100);
    assert.equal(look({}, '10:33:10'), at('10:35:00') + 100);
    assert.equal(look({ schedule: '@every 7m' }, '10:20:00'), at('10:21:30') + 100);
    assert.equal(look({ schedule: '0 0 30 2 *' }, '10:20:00'), undefined);
  });
});

describe('plan of a cron job', () => {
  const name = `c-${minutes('10:05:00')}`;

  it('starts a due job once', () => {
    const { start, replaces } = plan(cronJobOf(), [], '10:05:01');
    assert.deepEqual({ start, replaces }, { start: at('10:05:00'), replaces: false });
    assert.equal(plan(cronJobOf({}, { lastScheduleTime: '2026-01-01T10:05:00Z' }), [], '10:05:01').start, undefined);
  });

  it('starts no job while the cron job is suspended, deleted, or has an unknown time zone', () => {
    assert.equal(plan(cronJobOf({ suspend: true }), [], '10:05:01').start, undefined);
    const { metadata, ...rest } = cronJobOf();
    const deleted = { ...rest, metadata: { ...metadata, deletionTimestamp: CREATED } };
    assert.equal(plan(deleted, [], '10:05:01').start, undefined);
    const nowhere = plan(cronJobOf({ timeZone: 'Nowhere/Town' }), [], '10:05:01');
    assert.equal(nowhere.start, undefined);
    assert.deepEqual(nowhere.events, [
      {
        type: 'warn',
        reason: 'UnknownTimeZone',
        message: 'invalid timeZone: "Nowhere/Town": unknown time zone Nowhere/Town',
      },
    ]);
  });

  it('reports an invalid schedule', () => {
    const reasons = (spec: Partial<CronJobSpec>) =>
      plan(cronJobOf(spec), [], '10:05:01').events.map(({ reason }) => reason);
    assert.deepEqual(reasons({ schedule: 'x' }), ['UnparseableSchedule']);
    assert.deepEqual(reasons({ schedule: '0 0 30 2 *' }), ['InvalidSchedule']);
    assert.deepEqual(reasons({ schedule: 'TZ=UTC 0 0 1 1 *' }), ['UnsupportedSchedule']);
  });

  it('does not start a job after the starting deadline', () => {
    const { start, events, lookAgainAt } = plan(cronJobOf({ startingDeadlineSeconds: 10 }), [], '10:05:05');
    assert.deepEqual([start, events], [at('10:05:00'), []]);
    const late = plan(cronJobOf({ startingDeadlineSeconds: 10 }), [], '10:05:11');
    assert.deepEqual([late.start, late.lookAgainAt], [undefined, lookAgainAt]);
  });

  const running = jobOf(`c-${minutes('10:00:00')}`);
  const before = { active: [reference(running.metadata.name!)], lastScheduleTime: '2026-01-01T10:00:00Z' };
  it('waits for, runs beside, or replaces a running job according to the concurrency policy', () => {
    const forbid = plan(cronJobOf({ concurrencyPolicy: 'Forbid' }, before), [running], '10:05:01');
    assert.equal(forbid.start, undefined);
    assert.equal(forbid.events[0]?.reason, 'JobAlreadyActive');
    assert.equal(plan(cronJobOf({ concurrencyPolicy: 'Allow' }, before), [running], '10:05:01').replaces, false);
    assert.equal(plan(cronJobOf({ concurrencyPolicy: 'Replace' }, before), [running], '10:05:01').replaces, true);
  });

  it('finds a job that it started before it could write the status', () => {
    const { start, status, events } = plan(cronJobOf({ concurrencyPolicy: 'Forbid' }), [jobOf(name)], '10:05:01');
    assert.deepEqual([start, events], [undefined, []]);
    assert.deepEqual(status, { active: [reference(name)], lastScheduleTime: '2026-01-01T10:05:00Z' });
  });

  it('records finished jobs and reports jobs that it did not start', () => {
    const done = jobOf(running.metadata.name!, 'Complete', { completionTime: '2026-01-01T10:01:00Z' });
    const { status, events, missing } = plan(cronJobOf({}, before), [done, jobOf('by-hand')], '10:02:00');
    assert.deepEqual(status, { lastScheduleTime: before.lastScheduleTime, lastSuccessfulTime: '2026-01-01T10:01:00Z' });
    assert.deepEqual(
      events.map(({ message }) => message),
      [
        `Saw completed job: ${done.metadata.name}, condition: Complete`,
        'Saw a job that the controller did not create or forgot: by-hand',
      ],
    );
    assert.deepEqual(missing, []);
    assert.deepEqual(plan(cronJobOf({}, before), [], '10:02:00').missing, before.active);
  });

  it('keeps only the latest finished jobs up to the history limits', () => {
    const at = (minute: number) => ({ startTime: `2026-01-01T09:0${minute}:00Z` });
    const jobs = [
      jobOf('d', 'Complete', at(4)),
      jobOf('a', 'Complete', at(1)),
      jobOf('b', 'Complete', at(2)),
      jobOf('x', 'Failed', at(1)),
      jobOf('y', 'Failed', at(0)),
      jobOf('z'),
    ];
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 };
    const old = plan(cronJobOf(limits), jobs, '10:01:00').old.map((job) => job.metadata.name);
    assert.deepEqual(old, ['a', 'b', 'y']);
    assert.deepEqual(plan(cronJobOf(), jobs, '10:01:00').old, []);
  });
});
