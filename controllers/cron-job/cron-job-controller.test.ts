import assert from 'node:assert/strict';
import { batchV1, coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { CronJob, CronJobSpec } from '#schema/generated/batch.v1.ts';
import { formatTime } from '#schema/values/time.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { cronJobController } from './cron-job-controller.ts';

const TYPES = [batchV1.cronjobs, batchV1.jobs, coreV1.events];
const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const template = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } };

function put(server: FakeServer, spec: Partial<CronJobSpec> = {}): CronJob {
  return server.put(batchV1.cronjobs, {
    metadata: { name: 'c', namespace: 'n', creationTimestamp: '2026-01-01T10:00:30Z' },
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Asia/Kolkata',
      concurrencyPolicy: 'Allow',
      jobTemplate: template,
      ...spec,
    },
    status: {},
  } as unknown as CronJob);
}

const writes = (server: FakeServer) =>
  server.writes.map(({ what }) => what).filter((what) => !what.includes(' events/'));
const reasons = (server: FakeServer) => server.all(coreV1.events).map(({ reason }) => reason);

describe('cron job controller', () => {
  it('starts one job at each scheduled time', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    const cronJob = put(server);
    const name = `c-${at('10:05:00') / 60_000}`;
    const controller = await startController(cronJobController, server, { now: () => at('10:05:01') });
    const started = (await waitUntil('a job is there', () => server.get(batchV1.jobs, name, 'n')))!;
    assert.deepEqual(started.metadata.ownerReferences, [
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        name: 'c',
        uid: cronJob.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.deepEqual(started.metadata.annotations, {
      'batch.orch.io/cronjob-scheduled-timestamp': '2026-01-01T15:35:00+05:30',
    });
    const status = () => server.get(batchV1.cronjobs, 'c', 'n')?.status;
    await waitUntil('it says so', () => status()?.lastScheduleTime === '2026-01-01T10:05:00Z');
    assert.deepEqual(
      status()?.active?.map(({ uid }) => uid),
      [started.metadata.uid],
    );
    server.put(batchV1.jobs, { ...started, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
    await waitUntil('it has ended', () => status()?.active === undefined);
    await waitUntil('both events are there', () => reasons(server).length === 2);
    await controller.stop();
    assert.deepEqual(writes(server), ['POST jobs/n', 'PUT cronjobs/n/c/status', 'PUT cronjobs/n/c/status']);
    assert.deepEqual(reasons(server), ['SuccessfulCreate', 'SawCompletedJob']);
  });

  it('continues if another instance stopped after it created the job and before it wrote the status', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    put(server, { concurrencyPolicy: 'Forbid' });
    let failed = 0;
    server.handle(({ method }, path) => {
      if (method !== 'PUT' || !path.endsWith('/status') || failed > 0) return undefined;
      failed++;
      throw new Error('stopped');
    });
    const controller = await startController(cronJobController, server, { now: () => at('10:05:01') });
    const active = () => server.get(batchV1.cronjobs, 'c', 'n')?.status?.active;
    await waitUntil('it is known', () => active()?.length === 1);
    await controller.stop();
    assert.equal(server.all(batchV1.jobs).length, 1);
  });

  it('replaces a running job with concurrencyPolicy Replace', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    put(server, { concurrencyPolicy: 'Replace' });
    let now = at('10:05:01');
    const controller = await startController(cronJobController, server, { now: () => now });
    const names = () => server.all(batchV1.jobs).map(({ metadata }) => metadata.name);
    const [first, second] = ['10:05:00', '10:10:00'].map((time) => `c-${at(time) / 60_000}`);
    const active = () => server.get(batchV1.cronjobs, 'c', 'n')?.status?.active?.map(({ name }) => name);
    await waitUntil('the first runs', () => active()?.includes(first!));
    now = at('10:10:01');
    server.put(batchV1.cronjobs, {
      ...server.get(batchV1.cronjobs, 'c', 'n')!,
      metadata: { name: 'c', namespace: 'n', creationTimestamp: '2026-01-01T10:00:30Z', labels: { a: 'b' } },
    });
    await waitUntil('the second runs', () => active()?.includes(second!));
    await controller.stop();
    assert.deepEqual(names(), [second]);
  });
});

describe('cron job controller, with an API server', () => {
  const running = aroundManager([cronJobController], '--use-service-account-credentials');

  it('starts jobs and deletes old ones', async () => {
    const { client } = running;
    const cronJobs = client.resource(batchV1.cronjobs).in('default');
    const jobs = client.resource(batchV1.jobs).in('default');
    await cronJobs.create({
      metadata: { name: 'often' },
      spec: { schedule: '@every 1s', successfulJobsHistoryLimit: 0, jobTemplate: template },
    });
    const started = (await waitUntil('there is a job', async () => (await jobs.list()).items[0]))!;
    const name = started.metadata.name!;
    const now = formatTime(Date.now());
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: now }];
    await jobs.patch(
      name,
      'merge',
      { status: { conditions, startTime: now, completionTime: now, active: 0 } },
      { subresource: 'status' },
    );
    await waitUntil('it is deleted', () =>
      jobs.get(name).then(
        ({ metadata }) => metadata.deletionTimestamp,
        () => true,
      ),
    );
    const { status } = await cronJobs.get('often');
    assert.ok(status?.lastSuccessfulTime);
    const events = await client.resource(coreV1.events).in('default').list();
    assert.ok(events.items.some(({ reason }) => reason === 'SuccessfulCreate'));
  });
});
