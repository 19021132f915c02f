import assert from 'node:assert/strict';
import { ApiError } from '#client/errors.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { namespaceController } from './namespace-controller.ts';

const gizmos: ResourceType = { group: 'example.com', version: 'v1', plural: 'gizmos', kind: 'Gizmo', namespaced: true };
const types = [coreV1.namespaces, coreV1.pods, coreV1.configmaps, appsV1.deployments, gizmos];

describe('namespace controller', () => {
  function serverWith(...objects: [type: ResourceType, name: string, metadata?: object][]): FakeServer {
    const server = new FakeServer(types, { strict: true });
    const deletionTimestamp = '2026-01-02T03:04:05Z';
    server.put(coreV1.namespaces, {
      metadata: { name: 'n', deletionTimestamp },
      spec: { finalizers: ['orch'] },
      status: { phase: 'Terminating' },
    } as never);
    for (const [type, name, metadata] of objects) server.put(type, { metadata: { name, namespace: 'n', ...metadata } });
    // The fake server would remove an object with a deletion time and no finalizers at once.
    return server;
  }
  const gone = (server: FakeServer) => waitUntil('it is gone', () => server.get(coreV1.namespaces, 'n') === undefined);
  const deletions = (server: FakeServer) => server.writes.filter(({ what }) => what.startsWith('DELETE'));

  it('deletes all content, pods last, and then removes the finalizer', async () => {
    const server = serverWith([coreV1.pods, 'p'], [coreV1.configmaps, 'a'], [appsV1.deployments, 'd'], [gizmos, 'g']);
    server.put(coreV1.configmaps, { metadata: { name: 'a', namespace: 'other' } });
    const controller = await startController(namespaceController, server);
    await gone(server);
    await controller.stop();
    assert.deepEqual(
      deletions(server)
        .map(({ what }) => what)
        .sort(),
      ['DELETE configmaps/n/a', 'DELETE deployments/n/d', 'DELETE gizmos/n/g', 'DELETE pods/n/p'],
    );
    assert.equal(deletions(server).at(-1)?.what, 'DELETE pods/n/p');
    assert.equal(server.all(coreV1.configmaps).length, 1);
    assert.equal(server.writes.at(-1)?.what, 'PUT namespaces/n/finalize');
  });

  it('reports in conditions what remains and why, and finishes when it is gone', async () => {
    const server = serverWith(
      [coreV1.configmaps, 'held', { finalizers: ['example.com/x'] }],
      [coreV1.configmaps, 'free'],
    );
    const controller = await startController(namespaceController, server);
    const conditions = () => server.get(coreV1.namespaces, 'n')?.status?.conditions ?? [];
    await waitUntil('it says so', () => conditions().length > 0);
    assert.deepEqual(
      conditions().map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      [
        'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered',
        'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions',
        'NamespaceDeletionContentFailure False ContentDeleted',
        'NamespaceContentRemaining True SomeResourcesRemain',
        'NamespaceFinalizersRemaining True SomeFinalizersRemain',
      ],
    );
    assert.match(conditions()[3]!.message!, /: configmaps\. has 1 resource instances$/);
    assert.match(conditions()[4]!.message!, /: example\.com\/x in 1 resource instances$/);
    server.remove(coreV1.configmaps, 'held', 'n');
    await gone(server);
    await controller.stop();
    assert.equal(deletions(server).length, 2, 'what is being deleted is not deleted again');
  });

  it('keeps a namespace while its content is unknown', async () => {
    const server = serverWith([gizmos, 'g']);
    let broken = true;
    server.handle((_call, path) => {
      if (broken && path === '/apis/example.com/v1') throw new ApiError(503, { message: 'extension is down' });
      return undefined;
    });
    const controller = await startController(namespaceController, server);
    const discovery = () =>
      server.get(coreV1.namespaces, 'n')?.status?.conditions?.find(({ type }) => type.endsWith('DiscoveryFailure'));
    await waitUntil('it says so', () => discovery()?.status === 'True');
    assert.match(discovery()!.message!, /1 failing: example.com\/v1/);
    assert.ok(server.get(gizmos, 'g', 'n'));
    broken = false;
    await gone(server);
    await controller.stop();
  });

  it('ignores other finalizers and namespaces that are not being deleted', async () => {
    const server = serverWith();
    server.put(coreV1.namespaces, {
      metadata: { name: 'n', deletionTimestamp: '2026-01-02T03:04:05Z' },
      spec: { finalizers: ['orch', 'example.com/hold'] },
    } as never);
    server.put(coreV1.namespaces, { metadata: { name: 'stays' }, spec: { finalizers: ['orch'] } } as never);
    const controller = await startController(namespaceController, server);
    await waitUntil('it is let go', () => server.get(coreV1.namespaces, 'n')?.spec?.finalizers?.length === 1);
    await controller.stop();
    const { spec, status } = server.get(coreV1.namespaces, 'n')!;
    assert.deepEqual(spec?.finalizers, ['example.com/hold']);
    // The namespace stays, and its conditions say that no content is left.
    assert.deepEqual(new Set(status?.conditions?.map((condition) => condition.status)), new Set(['False']));
    assert.ok(server.writes.every(({ what }) => !what.includes('stays')));
  });
});

describe('namespace controller, with an API server', () => {
  const running = aroundManager([namespaceController]);

  it('deletes a namespace with its content', async () => {
    const { client } = running;
    const namespaces = client.resource(coreV1.namespaces);
    await namespaces.create({ metadata: { name: 'a' } });
    const maps = client.resource(coreV1.configmaps).in('a');
    for (let i = 0; i < 20; i++) await maps.create({ metadata: { name: `m${i}` } });
    await maps.create({ metadata: { name: 'held', finalizers: ['example.com/x'] } });
    await namespaces.delete('a');
    await waitUntil('only one is left', async () => (await maps.list()).items.length === 1);
    const held = async () =>
      (await namespaces.get('a')).status?.conditions?.some(({ type }) => type === 'NamespaceFinalizersRemaining');
    await waitUntil('it says so', held);
    await maps.patch('held', 'merge', { metadata: { finalizers: null } });
    await waitUntil('it is gone', async () =>
      (await namespaces.list()).items.every(({ metadata }) => metadata.name !== 'a'),
    );
  });
});
