import assert from 'node:assert/strict';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundManager, startManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { podGarbageCollector } from './pod-garbage-collector-controller.ts';

const pod = (name: string, deleted: boolean): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] } : {}),
  },
  spec: { containers: [] },
  status: { phase: 'Pending' },
});

describe('pod garbage collector', () => {
  for (const [minor, patched] of [
    ['25', false],
    ['31', true],
  ] as const)
    it(`deletes terminating pods without a node immediately, as release 1.${minor} does`, async () => {
      const server = new FakeServer([coreV1.pods, coreV1.nodes], { strict: true });
      server.handle((_, path) => (path === '/version' ? { major: '1', minor: `${minor}+` } : undefined));
      server.put(coreV1.pods, pod('deleted', true));
      server.put(coreV1.pods, pod('waits', false));
      const controller = await startController(podGarbageCollector, server);
      await waitUntil('it is deleted', () => server.writes.some(({ what }) => what === 'DELETE pods/n/deleted'));
      await controller.stop();
      const { uid } = server.get(coreV1.pods, 'deleted', 'n')!.metadata;
      const patch = { what: 'PATCH pods/n/deleted/status', body: { metadata: { uid }, status: { phase: 'Failed' } } };
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, gracePeriodSeconds: 0 };
      assert.deepEqual(server.writes, [...(patched ? [patch] : []), { what: 'DELETE pods/n/deleted', body }]);
    });
});

describe('pod garbage collector, with an API server', () => {
  const running = aroundManager([serviceAccountController]);

  it('keeps a limited number of finished pods', async () => {
    const pods = running.client.resource(coreV1.pods).in('default');
    const accounts = running.client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
    for (const name of ['a', 'b', 'c']) {
      await pods.create({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
      await pods.patch(name, 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
    }
    const flags = ['--use-service-account-credentials', '--leader-elect=false', '--terminated-pod-gc-threshold=1'];
    const { stop } = startManager(running.replica, [podGarbageCollector], ...flags);
    await waitUntil('one is left', async () => (await pods.list()).items.length === 1);
    await stop();
    assert.equal((await pods.list()).items.length, 1);
  });
});
