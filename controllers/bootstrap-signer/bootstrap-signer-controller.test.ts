import assert from 'node:assert/strict';
import { flattenedVerify } from 'jose';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { bootstrapSignerController } from './bootstrap-signer-controller.ts';
import { signDetached } from './sign-detached.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const kubeconfig = 'apiVersion: v1\nkind: Config\n';
const fields = (id: string, more: object = {}): Record<string, string> => ({
  'token-id': id,
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-signing': 'true',
  ...more,
});

/**
 * Verifies a signature as a joining machine does. With the neutral words the key is the whole token, and with the
 * upstream words only its second part.
 */
async function verify(text: string, jws: string, token: string, profile = 'orch'): Promise<void> {
  const [id, secret] = token.split('.');
  const key = profile === 'orch' ? token : secret!;
  const [header = '', payload, signature = ''] = jws.split('.');
  assert.equal(payload, '');
  const whole = { protected: header, payload: Buffer.from(text).toString('base64url'), signature };
  const { protectedHeader } = await flattenedVerify(whole, Buffer.from(key), { algorithms: ['HS256'] });
  assert.deepEqual(protectedHeader, { alg: 'HS256', kid: id });
}

describe('bootstrap signer controller', () => {
  it('makes a known signature', async () => {
    const text = 'apiVersion: v1\nclusters:\n- cluster:\n    server: https://10.0.0.1:6443\n  name: ""\nkind: Config\n';
    assert.equal(
      await signDetached(text, 'abc123', '0123456789abcdef'),
      'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiYzEyMyJ9..4gC5ziyoCWEZ-G8e1SblYSnvQKDnqURRdGFTEuZNDPs',
    );
  });

  for (const naming of namingProfiles.map(createNaming))
    it(`stores one signature for each signing token (${naming.profile})`, async () => {
      const server = new FakeServer([coreV1.secrets, coreV1.configmaps], { strict: true, naming });
      const namespace = naming.prefixed('public');
      const put = (id: string, more: object = {}, name = `bootstrap-token-${id}`) =>
        server.put(coreV1.secrets, {
          metadata: { name, namespace: naming.prefixed('system') },
          type: naming.key('bootstrap/token'),
          data: Object.fromEntries(Object.entries(fields(id, more)).map(([key, text]) => [key, base64(text)])),
        });
      put('abc123');
      put('def456', { 'token-secret': 'short' });
      put('ghi789', { 'usage-bootstrap-signing': 'false' });
      put('jkl012', { expiration: '2020-01-01T00:00:00Z' });
      put('mno345', { expiration: 'nonsense' });
      put('pqr678', {}, 'bootstrap-token-another');
      put('stu901', { 'token-secret': '' });
      const stale = { kubeconfig, other: 'x', 'jws-kubeconfig-zzz999': 'a..b' };
      server.put(coreV1.configmaps, { metadata: { name: 'cluster-info', namespace }, data: stale });
      const controller = await startController(bootstrapSignerController, server);
      const data = () => server.get(coreV1.configmaps, 'cluster-info', namespace)?.data ?? {};
      const keys = () => Object.keys(data()).sort().join(' ');
      await waitUntil('it is signed', () => data()['jws-kubeconfig-abc123']);
      assert.equal(keys(), 'jws-kubeconfig-abc123 jws-kubeconfig-def456 kubeconfig other');
      await verify(kubeconfig, data()['jws-kubeconfig-abc123']!, 'abc123.0123456789abcdef', naming.profile);
      await verify(kubeconfig, data()['jws-kubeconfig-def456']!, 'def456.short', naming.profile);
      server.remove(coreV1.secrets, 'bootstrap-token-def456', naming.prefixed('system'));
      await waitUntil('its signature is gone', () => keys() === 'jws-kubeconfig-abc123 kubeconfig other');
      const before = data()['jws-kubeconfig-abc123'];
      const changed = { metadata: { name: 'cluster-info', namespace }, data: { ...data(), kubeconfig: 'new' } };
      server.put(coreV1.configmaps, changed);
      await waitUntil('it is signed again', () => data()['jws-kubeconfig-abc123'] !== before);
      await verify('new', data()['jws-kubeconfig-abc123']!, 'abc123.0123456789abcdef', naming.profile);
      await controller.stop();
      assert.equal(server.writes.length, 3);
    });

  it('removes the signature of an expired token', async () => {
    const server = new FakeServer([coreV1.secrets, coreV1.configmaps], { strict: true });
    const of = { namespace: 'orch-public' };
    const expiration = '2030-01-01T00:00:01Z';
    const data = Object.entries(fields('abc123', { expiration })).map(([key, text]) => [key, base64(text)]);
    const metadata = { name: 'bootstrap-token-abc123', namespace: 'orch-system' };
    server.put(coreV1.secrets, { metadata, type: 'bootstrap.orch.io/token', data: Object.fromEntries(data) });
    server.put(coreV1.configmaps, { metadata: { name: 'cluster-info', ...of }, data: { kubeconfig } });
    const began = performance.now();
    const now = () => Date.parse('2030-01-01T00:00:00Z') + performance.now() - began;
    const controller = await startController(bootstrapSignerController, server, { now });
    const kept = () => Object.keys(server.get(coreV1.configmaps, 'cluster-info', of.namespace)?.data ?? {});
    await waitUntil('it was signed, and is not any more', () => server.writes.length === 2 && kept().length === 1);
    await controller.stop();
  });

  it('does not change a config map without a connection file', async () => {
    const server = new FakeServer([coreV1.secrets, coreV1.configmaps], { strict: true });
    const data = { x: 'y', 'jws-kubeconfig-zzz999': 'a..b' };
    server.put(coreV1.configmaps, { metadata: { name: 'cluster-info', namespace: 'orch-public' }, data });
    const controller = await startController(bootstrapSignerController, server);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await controller.stop();
    assert.deepEqual(server.writes, []);
  });
});

describe('bootstrap signer controller, with an API server', () => {
  const running = aroundManager([bootstrapSignerController], '--use-service-account-credentials');

  it('stores the signature of a token until the token is deleted', async () => {
    const { client } = running;
    const maps = client.resource(coreV1.configmaps).in('orch-public');
    const secrets = client.resource(coreV1.secrets).in('orch-system');
    await maps.create({ metadata: { name: 'cluster-info' }, data: { kubeconfig } });
    const metadata = { name: 'bootstrap-token-abc123' };
    await secrets.create({ metadata, type: 'bootstrap.orch.io/token', stringData: fields('abc123') });
    const signature = async () => (await maps.get('cluster-info')).data?.['jws-kubeconfig-abc123'];
    await waitUntil('it is signed', signature);
    await verify(kubeconfig, (await signature())!, 'abc123.0123456789abcdef');
    await assert.rejects(verify(kubeconfig, (await signature())!, 'abc123.0123456789abcdef', 'kubernetes'));
    await secrets.delete(metadata.name);
    await waitUntil('it is not signed any more', async () => (await signature()) === undefined);
  });
});
