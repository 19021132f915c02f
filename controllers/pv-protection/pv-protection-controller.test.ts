import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { pvProtectionController } from './pv-protection-controller.ts';

describe('persistent volume protection controller', () => {
  for (const naming of namingProfiles.map(createNaming))
    it(`keeps volumes while they are bound (${naming.profile})`, async () => {
      const server = new FakeServer([coreV1.persistentvolumes], { strict: true, naming });
      const finalizer = naming.key('pv-protection');
      const deletionTimestamp = '2020-01-01T00:00:00Z';
      const put = (name: string, phase: string, metadata: object) =>
        server.put(coreV1.persistentvolumes, { metadata: { name, ...metadata }, status: { phase } });
      const find = (name: string) => server.get(coreV1.persistentvolumes, name);
      put('young', 'Available', { finalizers: ['a.b/c'] });
      put('kept', 'Available', { finalizers: [finalizer] });
      put('bound', 'Bound', { finalizers: [finalizer], deletionTimestamp });
      put('released', 'Released', { finalizers: [finalizer], deletionTimestamp });
      put('held', 'Released', { finalizers: [finalizer, 'a.b/c'], deletionTimestamp });
      const controller = await startController(pvProtectionController, server);
      await waitUntil('the released one is gone', () => find('released') === undefined);
      await waitUntil('the held one is let go', () => find('held')?.metadata.finalizers?.length === 1);
      await waitUntil('the young one is protected', () => find('young')?.metadata.finalizers?.includes(finalizer));
      const { metadata } = find('bound')!;
      put('bound', 'Released', metadata);
      await waitUntil('the one that was bound is gone', () => find('bound') === undefined);
      await controller.stop();
      assert.deepEqual(find('held')?.metadata.finalizers, ['a.b/c']);
      assert.deepEqual(find('young')?.metadata.finalizers, ['a.b/c', finalizer]);
      assert.equal(server.writes.length, 4);
    });
});

describe('persistent volume protection controller, with an API server', () => {
  const running = aroundManager([pvProtectionController], '--use-service-account-credentials');

  it('removes the finalizer of a volume that is no longer bound', async () => {
    const volumes = running.client.resource(coreV1.persistentvolumes);
    const name = 'v';
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/x' },
      storageClassName: 'none',
    };
    const gone = () =>
      volumes
        .get(name)
        .then(() => false)
        .catch(() => true);
    await volumes.create({ metadata: { name }, spec });
    await volumes.patch(name, 'merge', { status: { phase: 'Bound' } }, { subresource: 'status' });
    await volumes.delete(name);
    assert.deepEqual((await volumes.get(name)).metadata.finalizers, ['orch.io/pv-protection']);
    await volumes.patch(name, 'merge', { status: { phase: 'Released' } }, { subresource: 'status' });
    await waitUntil('it is gone', gone);
  });
});
