import assert from 'node:assert/strict';
import { ApiError } from '#client/errors.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { replicationController } from '../replication-controller/replication-controller.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { setReady } from '../testing/fake-pods.ts';
import { type StartedController, startController } from '../testing/start-controller.ts';
import { replicaSetController } from './replica-set-controller.ts';

const namespace = 'ns';
const labels = { app: 'web' };
const containers = [{ name: 'c', image: 'i' }];

function replicaSet(replicas: number, more: object = {}) {
  return {
    metadata: { name: 'web', namespace, generation: 1, ...more },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  } as ReplicaSet;
}

describe('replica set controller', () => {
  let server: FakeServer;
  let started: StartedController;
  beforeEach(async () => {
    server = new FakeServer([appsV1.replicasets, coreV1.pods, coreV1.events], { strict: false });
  });
  afterEach(() => started.stop());

  const pods = () => server.all(coreV1.pods);
  const status = () => server.get(appsV1.replicasets, 'web', namespace)?.status;
  const creations = () => server.writes.filter(({ what }) => what.startsWith('POST pods')).length;

  it('creates missing pods, counts them, and deletes pods beyond the replicas', async () => {
    started = await startController(replicaSetController, server);
    server.put(appsV1.replicasets, replicaSet(5));
    await waitUntil('five pods', () => status()?.replicas === 5);
    assert.equal(creations(), 5);
    const [one] = pods();
    assert.match(one!.metadata.name!, /^web-/);
    assert.deepEqual(one!.metadata.labels, labels);
    assert.deepEqual(one!.metadata.ownerReferences, [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web',
        uid: server.get(appsV1.replicasets, 'web', namespace)!.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    for (const pod of pods()) if (pod !== one) setReady(server, pod);
    await waitUntil('four are ready', () => status()?.availableReplicas === 4);
    server.put(appsV1.replicasets, { ...server.get(appsV1.replicasets, 'web', namespace)!, spec: replicaSet(4).spec! });
    await waitUntil('four pods', () => status()?.replicas === 4);
    assert.ok(pods().every(({ metadata }) => metadata.name !== one!.metadata.name));
    await waitUntil(
      'events',
      () => server.all(coreV1.events).filter(({ reason }) => reason === 'SuccessfulDelete').length === 1,
    );
    assert.equal(status()?.readyReplicas, 4);
  });

  it('replaces finished pods and does not delete them', async () => {
    started = await startController(replicaSetController, server);
    server.put(appsV1.replicasets, replicaSet(1));
    const first = (await waitUntil('a pod', () => pods()[0]))!;
    server.put(coreV1.pods, { ...first, status: { phase: 'Failed' } });
    await waitUntil('another one', () => pods().length === 2);
    server.remove(coreV1.pods, first.metadata.name!, namespace);
    await waitUntil('it counts', () => status()?.replicas === 1);
    assert.equal(creations(), 2);
  });

  it('adopts matching pods before it creates new ones, and releases pods that no longer match', async () => {
    server.put(coreV1.pods, { metadata: { name: 'mine', namespace, labels } } as Pod);
    started = await startController(replicaSetController, server);
    server.put(appsV1.replicasets, replicaSet(1));
    await waitUntil('it is adopted', () => status()?.replicas === 1);
    assert.equal(creations(), 0);
    const mine = server.get(coreV1.pods, 'mine', namespace)!;
    assert.equal(mine.metadata.ownerReferences?.[0]?.kind, 'ReplicaSet');
    server.put(coreV1.pods, { ...mine, metadata: { ...mine.metadata, labels: { app: 'other' } } });
    await waitUntil('another one', () => creations() === 1);
    assert.deepEqual(server.get(coreV1.pods, 'mine', namespace)!.metadata.ownerReferences, []);
  });

  it('reports why it cannot create pods, and continues when it can', async () => {
    let refuse = true;
    server.handle(({ method }, path) => {
      if (!refuse || method !== 'POST' || !path.endsWith('/pods')) return undefined;
      throw new ApiError(403, { code: 403, reason: 'Forbidden', message: 'exceeded quota: q' });
    });
    started = await startController(replicaSetController, server);
    server.put(appsV1.replicasets, replicaSet(3));
    const condition = (await waitUntil('a condition', () => status()?.conditions?.[0]))!;
    assert.deepEqual(
      [condition.type, condition.reason, condition.message],
      ['ReplicaFailure', 'FailedCreate', 'exceeded quota: q'],
    );
    await waitUntil('an event', () =>
      server.all(coreV1.events).some(({ message }) => message === 'Error creating: exceeded quota: q'),
    );
    refuse = false;
    await waitUntil('three pods', () => status()?.replicas === 3 && status()?.conditions === undefined);
  });

  it('creates no pods while the replica set is being deleted', async () => {
    started = await startController(replicaSetController, server);
    server.put(appsV1.replicasets, replicaSet(2, { finalizers: ['f'], deletionTimestamp: '2024-05-01T11:00:00Z' }));
    await waitUntil('it is looked at', () => status()?.observedGeneration === 1);
    assert.equal(creations(), 0);
  });
});

describe('replica sets and replication controllers, with an API server', () => {
  const running = aroundManager(
    [serviceAccountController, replicaSetController, replicationController],
    '--use-service-account-credentials',
  );

  it('have as many pods as requested', async () => {
    const { client } = running;
    const spec = { terminationGracePeriodSeconds: 0, containers };
    const template = { metadata: { labels }, spec };
    const sets = client.resource(appsV1.replicasets).in('default');
    await sets.create({
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: { matchLabels: labels }, template },
    });
    const other = { app: 'db' };
    const controllers = client.resource(coreV1.replicationcontrollers).in('default');
    await controllers.create({
      metadata: { name: 'db' },
      spec: { replicas: 2, selector: other, template: { ...template, metadata: { labels: other } } },
    });
    await waitUntil('the set counts three', async () => (await sets.get('web')).status?.replicas === 3);
    await waitUntil('the controller counts two', async () => (await controllers.get('db')).status?.replicas === 2);
    const pods = client.resource(coreV1.pods).in('default');
    const [pod] = (await pods.list({ labelSelector: 'app=web' })).items;
    const ready = [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-05-01T12:00:00Z' }];
    await pods.patch(
      pod!.metadata.name!,
      'strategic',
      { status: { phase: 'Running', conditions: ready } },
      { subresource: 'status' },
    );
    await waitUntil('one is available', async () => (await sets.get('web')).status?.availableReplicas === 1);
    await sets.patch('web', 'merge', { spec: { replicas: 1 } });
    await waitUntil('one is left', async () => (await sets.get('web')).status?.replicas === 1);
    const left = (await pods.list({ labelSelector: 'app=web' })).items.filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    );
    assert.deepEqual(
      left.map(({ metadata }) => metadata.name),
      [pod!.metadata.name],
    );
    const events = (await client.resource(coreV1.events).in('default').list()).items;
    assert.ok(
      events.some(
        ({ reason, source }) => reason === 'SuccessfulCreate' && source?.component === 'replicaset-controller',
      ),
    );
  });
});
