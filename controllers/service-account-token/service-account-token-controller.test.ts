import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { compactVerify, decodeJwt } from 'jose';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { testPki } from '#server/testing/replica.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { managerFlags, startController } from '../testing/start-controller.ts';
import { serviceAccountTokenController } from './service-account-token-controller.ts';

const keyFlag = () => `--service-account-private-key-file=${testPki().file('sa.key')}`;
const rootFlag = () => `--root-ca-file=${testPki().file('ca.crt')}`;
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const fromBase64 = (text = '') => Buffer.from(text, 'base64').toString();

function start(server: FakeServer) {
  const flags = managerFlags(`--naming=${server.naming.profile}`, keyFlag(), rootFlag());
  return startController(serviceAccountTokenController, server, { flags });
}

function tokenSecret(naming: Naming, name: string, more: { uid?: string; data?: Record<string, string> } = {}) {
  const uid = more.uid === undefined ? {} : { [naming.key('service-account.uid')]: more.uid };
  const annotations = { [naming.key('service-account.name')]: 's', ...uid };
  const data = more.data === undefined ? {} : { data: more.data };
  return { metadata: { name, namespace: 'n', annotations }, type: naming.key('service-account-token'), ...data };
}

describe('service account token controller', () => {
  const types = [coreV1.serviceaccounts, coreV1.secrets];

  for (const naming of namingProfiles.map(createNaming))
    it(`fills token secrets and corrects wrong data (${naming.profile})`, async () => {
      const server = new FakeServer(types, { strict: true, naming });
      const account = server.put(coreV1.serviceaccounts, { metadata: { name: 's', namespace: 'n' } });
      server.put(coreV1.secrets, tokenSecret(naming, 'empty', { data: { extra: 'eA==' } }));
      server.put(coreV1.secrets, tokenSecret(naming, 'wrong', { data: { token: 'bWluZQ==', 'ca.crt': 'eA==' } }));
      const named = { token: 'bWluZQ==', 'ca.crt': 'eA==', namespace: 'eA==' };
      server.put(coreV1.secrets, tokenSecret(naming, 'named', { data: named }));
      const controller = await start(server);
      const data = (name: string) => server.get(coreV1.secrets, name, 'n')?.data ?? {};
      await waitUntil('both are filled', () => data('empty')['token'] && data('wrong')['namespace']);
      const ca = base64(testPki().read('ca.crt'));
      assert.deepEqual(data('wrong'), { token: 'bWluZQ==', 'ca.crt': ca, namespace: base64('n') });
      await waitUntil('its authorities are right', () => data('named')['ca.crt'] === ca);
      assert.equal(data('named')['namespace'], 'eA==');
      const { token, ...others } = data('empty');
      assert.deepEqual(others, { extra: 'eA==', 'ca.crt': ca, namespace: base64('n') });
      const { uid } = account.metadata;
      const annotations = server.get(coreV1.secrets, 'empty', 'n')!.metadata.annotations!;
      assert.equal(annotations[naming.key('service-account.uid')], uid);
      await compactVerify(fromBase64(token), createPublicKey(testPki().read('sa.pub')));
      const prefix = `${naming.domain()}/serviceaccount`;
      assert.deepEqual(decodeJwt(fromBase64(token)), {
        iss: naming.secretTokenIssuer,
        [`${prefix}/namespace`]: 'n',
        [`${prefix}/secret.name`]: 'empty',
        [`${prefix}/service-account.name`]: 's',
        [`${prefix}/service-account.uid`]: uid,
        sub: 'system:serviceaccount:n:s',
      });
      await controller.stop();
      assert.equal(server.writes.length, 3);
    });

  it('deletes only token secrets of accounts that are gone or were created again', async () => {
    const server = new FakeServer(types, { strict: true });
    const { naming } = server;
    server.put(coreV1.serviceaccounts, { metadata: { name: 's', namespace: 'n' } });
    server.put(coreV1.secrets, tokenSecret(naming, 'of-another', { uid: 'other' }));
    server.put(coreV1.secrets, tokenSecret(naming, 't'));
    server.put(coreV1.secrets, { ...tokenSecret(naming, 'plain'), type: 'Opaque' });
    const controller = await start(server);
    await waitUntil('t is filled', () => server.get(coreV1.secrets, 't', 'n')?.data?.['token']);
    await waitUntil('the other is gone', () => server.get(coreV1.secrets, 'of-another', 'n') === undefined);
    server.remove(coreV1.serviceaccounts, 's', 'n');
    await waitUntil('t is gone', () => server.get(coreV1.secrets, 't', 'n') === undefined);
    await controller.stop();
    assert.deepEqual(
      server.all(coreV1.secrets).map(({ metadata }) => metadata.name),
      ['plain'],
    );
  });

  it('asks the server before it deletes a secret whose account is not in the informer', async () => {
    const server = new FakeServer(types, { strict: true });
    const { naming } = server;
    server.put(coreV1.secrets, tokenSecret(naming, 't', { uid: 'live' }));
    server.handle(({ method }, path) =>
      method === 'GET' && path.endsWith('/serviceaccounts/s')
        ? { metadata: { name: 's', namespace: 'n', uid: 'live' } }
        : undefined,
    );
    const controller = await start(server);
    await waitUntil('it is filled', () => server.get(coreV1.secrets, 't', 'n')?.data?.['token']);
    await controller.stop();
    assert.deepEqual(
      server.writes.map(({ what }) => what),
      ['PUT secrets/n/t'],
    );
  });

  it('removes deleted secrets from their account', async () => {
    const server = new FakeServer(types, { strict: true });
    const secrets = [{ name: 't' }, { name: 'keep' }];
    server.put(coreV1.serviceaccounts, { metadata: { name: 's', namespace: 'n' }, secrets });
    server.put(coreV1.secrets, tokenSecret(server.naming, 't'));
    const controller = await start(server);
    await waitUntil('it is filled', () => server.get(coreV1.secrets, 't', 'n')?.data?.['token']);
    server.remove(coreV1.secrets, 't', 'n');
    const left = () => server.get(coreV1.serviceaccounts, 's', 'n')?.secrets;
    await waitUntil('its name is gone', () => left()?.length === 1);
    await controller.stop();
    assert.deepEqual(left(), [{ name: 'keep' }]);
  });

  it('is unavailable without the private key flag', () => {
    assert.match(serviceAccountTokenController.unavailable?.(managerFlags()) ?? '', /private-key-file/);
  });
});

describe('service account token controller, with an API server', () => {
  const running = aroundManager(
    [serviceAccountTokenController],
    '--use-service-account-credentials',
    keyFlag(),
    rootFlag(),
  );

  it('creates tokens that the server accepts, and deletes them with their account', async () => {
    const { client, replica } = running;
    const accounts = client.resource(coreV1.serviceaccounts).in('default');
    const secrets = client.resource(coreV1.secrets).in('default');
    await accounts.create({ metadata: { name: 'robot' } });
    const annotations = { 'orch.io/service-account.name': 'robot' };
    await secrets.create({ metadata: { name: 'robot', annotations }, type: 'orch.io/service-account-token' });
    await waitUntil('it is filled', async () => (await secrets.get('robot')).data?.['token']);
    const token = fromBase64((await secrets.get('robot')).data?.['token']);
    const answer = await replica.call('GET', '/api/v1/namespaces/default/secrets', { token });
    assert.equal(answer.status, 403);
    assert.match(answer.json.message, /system:serviceaccount:default:robot/);
    await accounts.delete('robot');
    await waitUntil('it is gone', () =>
      secrets
        .get('robot')
        .then(() => false)
        .catch(() => true),
    );
  });
});
