import assert from 'node:assert/strict';
import { batchV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import { formatTime } from '#schema/values/time.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { endOfLife, ttlAfterFinishedController } from './ttl-after-finished-controller.ts';

const time = '2020-01-01T00:00:00Z';
const at = Date.parse(time);
const condition = (type: string, status = 'True', lastTransitionTime: string | null = time) => ({
  type,
  status,
  lastTransitionTime,
});

describe('endOfLife of a job', () => {
  const cases: readonly [string, object, number | undefined][] = [
    ['completed', { conditions: [condition('Complete')] }, at + 5000],
    ['failed', { conditions: [condition('Suspended', 'False'), condition('Failed')] }, at + 5000],
    ['not failed', { conditions: [condition('Failed', 'False')] }, undefined],
    ['suspended', { conditions: [condition('Suspended')] }, undefined],
    ['complete without a time', { conditions: [condition('Complete', 'True', null)] }, undefined],
    ['running', {}, undefined],
  ];
  for (const [what, status, end] of cases)
    it(`is set only after the job has finished: ${what}`, () => {
      const job = { metadata: {}, spec: { ttlSecondsAfterFinished: 5 }, status } as unknown as Job;
      assert.equal(endOfLife(job), end);
      assert.equal(endOfLife({ ...job, metadata: { deletionTimestamp: time } }), undefined);
      assert.equal(endOfLife({ ...job, spec: {} } as Job), undefined);
    });
  it('is the finish time with a TTL of zero', () => {
    const status = { conditions: [condition('Complete')] };
    assert.equal(endOfLife({ metadata: {}, spec: { ttlSecondsAfterFinished: 0 }, status } as unknown as Job), at);
  });
});

describe('TTL after finished controller', () => {
  it('deletes only jobs whose TTL is over', async () => {
    const server = new FakeServer([batchV1.jobs], { strict: true });
    const put = (name: string, ttlSecondsAfterFinished: number | undefined, conditions: object[]) =>
      server.put(batchV1.jobs, {
        metadata: { name, namespace: 'n' },
        spec: { ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }) },
        status: { conditions },
      } as unknown as Job);
    put('over', 5, [condition('Complete')]);
    put('later', 1000, [condition('Failed')]);
    put('running', 5, []);
    put('for-ever', undefined, [condition('Complete')]);
    let now = at + 6000;
    const controller = await startController(ttlAfterFinishedController, server, { now: () => now });
    // Deleted jobs exist until their dependents are gone.
    const alive = () => server.all(batchV1.jobs).filter(({ metadata }) => !metadata.deletionTimestamp);
    const names = () => alive().map(({ metadata }) => metadata.name);
    await waitUntil('one is gone', () => !names().includes('over'));
    assert.deepEqual(names(), ['later', 'running', 'for-ever']);
    now = at + 1_000_000;
    put('later', 999, [condition('Failed')]);
    await waitUntil('the next is gone', () => !names().includes('later'));
    await controller.stop();
    assert.deepEqual(
      server.writes.map(({ what, body }) => [what, (body as { propagationPolicy: string }).propagationPolicy]),
      [
        ['DELETE jobs/n/over', 'Foreground'],
        ['DELETE jobs/n/later', 'Foreground'],
      ],
    );
  });

  it('reads the job from the server before it deletes it', async () => {
    const server = new FakeServer([batchV1.jobs], { strict: true });
    const job = { metadata: { name: 'j', namespace: 'n' }, status: { conditions: [condition('Complete')] } };
    const put = server.put(batchV1.jobs, { ...job, spec: { ttlSecondsAfterFinished: 5 } } as unknown as Job);
    let asked = 0;
    server.handle(({ method }, path) => {
      if (method !== 'GET' || !path.endsWith('/jobs/j')) return undefined;
      asked++;
      return { ...put, spec: { ttlSecondsAfterFinished: 1000 } };
    });
    const controller = await startController(ttlAfterFinishedController, server, { now: () => at + 6000 });
    await waitUntil('it has asked', () => asked > 0);
    await controller.stop();
    assert.deepEqual(server.writes, []);
  });
});

describe('TTL after finished controller, with an API server', () => {
  const running = aroundManager([ttlAfterFinishedController], '--use-service-account-credentials');

  it('deletes a finished job', async () => {
    const jobs = running.client.resource(batchV1.jobs).in('default');
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    for (const name of ['done', 'runs'])
      await jobs.create({ metadata: { name }, spec: { ttlSecondsAfterFinished: 1, template } });
    const now = formatTime(Date.now());
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: now }];
    await jobs.patch(
      'done',
      'merge',
      { status: { conditions, startTime: now, completionTime: now } },
      { subresource: 'status' },
    );
    const deleted = async () => {
      const found = await jobs.get('done').catch(() => undefined);
      return found === undefined || Boolean(found.metadata.deletionTimestamp);
    };
    await waitUntil('it is deleted', deleted);
    assert.equal((await jobs.get('runs')).metadata.deletionTimestamp ?? undefined, undefined);
  });
});
