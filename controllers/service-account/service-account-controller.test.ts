import assert from 'node:assert/strict';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { serviceAccountController } from './service-account-controller.ts';

const namespace = (name: string, phase = 'Active') => ({ metadata: { name }, status: { phase } });

describe('service account controller', () => {
  it('creates the default account in every namespace without one', async () => {
    const server = new FakeServer([coreV1.namespaces, coreV1.serviceaccounts], { strict: true });
    server.put(coreV1.namespaces, namespace('a'));
    server.put(coreV1.namespaces, namespace('b'));
    server.put(coreV1.serviceaccounts, { metadata: { name: 'default', namespace: 'b' } });
    server.put(coreV1.namespaces, namespace('c', 'Terminating'));
    const controller = await startController(serviceAccountController, server);
    await waitUntil('a has one', () => server.get(coreV1.serviceaccounts, 'default', 'a'));
    server.put(coreV1.namespaces, namespace('d'));
    await waitUntil('d has one', () => server.get(coreV1.serviceaccounts, 'default', 'd'));
    server.remove(coreV1.serviceaccounts, 'default', 'a');
    await waitUntil('a has one again', () => server.get(coreV1.serviceaccounts, 'default', 'a'));
    await controller.stop();
    assert.deepEqual(
      server.writes.map(({ what }) => what),
      ['POST serviceaccounts/a', 'POST serviceaccounts/d', 'POST serviceaccounts/a'],
    );
    assert.equal(controller.log.filter((line) => line === 'created the default service account').length, 3);
  });
});

describe('service account controller, with an API server', () => {
  const running = aroundManager([serviceAccountController], '--use-service-account-credentials');

  it('creates the default account with its own credentials', async () => {
    const { client } = running;
    const accounts = client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('there is one', () => accounts.get('default').catch(() => undefined));
    const { uid } = (await accounts.get('default')).metadata;
    await accounts.delete('default');
    await waitUntil('there is another', async () => {
      const found = await accounts.get('default').catch(() => undefined);
      return found !== undefined && found.metadata.uid !== uid;
    });
    const made = await accounts.get('default');
    assert.match(
      String(made.metadata.managedFields?.[0]?.manager ?? 'orch-controller-manager'),
      /orch-controller-manager/,
    );
  });
});
