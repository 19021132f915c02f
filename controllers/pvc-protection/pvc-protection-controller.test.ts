import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { pvcProtectionController, uses } from './pvc-protection-controller.ts';

const byName = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }];
const made = [{ name: 'v', ephemeral: { volumeClaimTemplate: {} } }];
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };

describe('uses(pod, claim)', () => {
  const cases: readonly [string, boolean, object, object][] = [
    ['a pod that names the claim', true, { nodeName: 'n', volumes: byName }, { name: 'c' }],
    ['a pod that names another claim', false, { nodeName: 'n', volumes: byName }, { name: 'd' }],
    ['a pod without a node', false, { volumes: byName }, { name: 'c' }],
    ['a pod in another namespace', false, { nodeName: 'n', volumes: byName }, { name: 'c', namespace: 'other' }],
    [
      'the pod with this ephemeral volume',
      true,
      { nodeName: 'n', volumes: made },
      { name: 'p-v', ownerReferences: [owner] },
    ],
    [
      'a pod with an ephemeral volume of the same name that does not own the claim',
      false,
      { nodeName: 'n', volumes: made },
      { name: 'p-v' },
    ],
    ['a pod without volumes', false, { nodeName: 'n' }, { name: 'c' }],
  ];
  for (const [what, used, spec, claim] of cases)
    it(`is ${used ? 'true' : 'false'} for ${what}`, () => {
      const pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec } as Pod;
      assert.equal(uses(pod, { metadata: { namespace: 'n', ...claim } } as PersistentVolumeClaim), used);
    });
});

describe('persistent volume claim protection controller', () => {
  const deletionTimestamp = '2020-01-01T00:00:00Z';
  const pod = (name: string, spec: object) => ({ metadata: { name, namespace: 'n' }, spec });

  for (const naming of namingProfiles.map(createNaming))
    it(`keeps claims while pods use them (${naming.profile})`, async () => {
      const server = new FakeServer([coreV1.persistentvolumeclaims, coreV1.pods], { strict: true, naming });
      const finalizers = [naming.key('pvc-protection')];
      const put = (name: string, metadata: object) =>
        server.put(coreV1.persistentvolumeclaims, { metadata: { name, namespace: 'n', ...metadata } });
      const find = (name: string) => server.get(coreV1.persistentvolumeclaims, name, 'n');
      put('c', { finalizers, deletionTimestamp });
      put('unused', { finalizers, deletionTimestamp });
      put('young', {});
      put('kept', { finalizers });
      server.put(coreV1.pods, pod('p', { nodeName: 'node', volumes: byName }));
      const controller = await startController(pvcProtectionController, server);
      await waitUntil('the unused one is gone', () => find('unused') === undefined);
      await waitUntil('the young one is protected', () => find('young')?.metadata.finalizers);
      assert.deepEqual(find('young')?.metadata.finalizers, finalizers);
      assert.notEqual(find('c'), undefined);
      server.remove(coreV1.pods, 'p', 'n');
      await waitUntil('the one that was used is gone', () => find('c') === undefined);
      await controller.stop();
      assert.equal(server.writes.length, 3);
    });

  it('asks the server for pods that the informer does not have yet', async () => {
    const server = new FakeServer([coreV1.persistentvolumeclaims, coreV1.pods], { strict: true });
    const finalizers = [server.naming.key('pvc-protection')];
    const metadata = { name: 'c', namespace: 'n', finalizers, deletionTimestamp };
    server.put(coreV1.persistentvolumeclaims, { metadata });
    let asked = 0;
    server.handle((_, path) => {
      if (path !== '/api/v1/namespaces/n/pods') return undefined;
      asked++;
      return { metadata: {}, items: [pod('p', { nodeName: 'node', volumes: byName })] };
    });
    const controller = await startController(pvcProtectionController, server);
    await waitUntil('it has asked', () => asked > 0);
    await controller.stop();
    assert.deepEqual(server.writes, []);
  });
});

describe('persistent volume claim protection controller, with an API server', () => {
  const running = aroundManager([pvcProtectionController], '--use-service-account-credentials');

  it('removes the finalizer of a claim when its pod is gone', async () => {
    const { client } = running;
    const claims = client.resource(coreV1.persistentvolumeclaims).in('default');
    const pods = client.resource(coreV1.pods).in('default');
    await client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
    const resources = { requests: { storage: '1Gi' } };
    const claim = { accessModes: ['ReadWriteOnce'], storageClassName: '', resources };
    for (const name of ['c', 'unused']) await claims.create({ metadata: { name }, spec: claim });
    const containers = [{ name: 'c', image: 'i' }];
    const spec = { automountServiceAccountToken: false, nodeName: 'no-node', containers, volumes: byName };
    await pods.create({ metadata: { name: 'p' }, spec });
    const gone = (name: string) => () =>
      claims
        .get(name)
        .then(() => false)
        .catch(() => true);
    for (const name of ['c', 'unused']) await claims.delete(name);
    await waitUntil('the unused one is gone', gone('unused'));
    assert.deepEqual((await claims.get('c')).metadata.finalizers, ['orch.io/pvc-protection']);
    await pods.delete('p', { gracePeriodSeconds: 0 });
    await waitUntil('the used one is gone', gone('c'));
  });
});
