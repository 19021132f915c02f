import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { tokenCleanerController } from './token-cleaner-controller.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const now = Date.parse('2030-01-01T00:00:00Z');

describe('token cleaner controller', () => {
  for (const naming of namingProfiles.map(createNaming))
    it(`deletes only expired tokens (${naming.profile})`, async () => {
      const server = new FakeServer([coreV1.secrets], { strict: true, naming });
      const system = naming.prefixed('system');
      const type = naming.key('bootstrap/token');
      const put = (name: string, expiration?: string, more: object = {}) =>
        server.put(coreV1.secrets, {
          metadata: { name, namespace: system },
          type,
          data: expiration === undefined ? {} : { expiration: base64(expiration) },
          ...more,
        });
      put('ended', '2029-12-31T23:59:59Z');
      put('ended-elsewhere-in-time', '2030-01-01T01:30:00+02:00');
      put('nonsense', 'nonsense');
      put('good', '2030-01-01T01:00:00Z');
      put('endless');
      put('of-another-type', '2020-01-01T00:00:00Z', { type: 'Opaque' });
      put('elsewhere', '2020-01-01T00:00:00Z', { metadata: { name: 'elsewhere', namespace: 'n' } });
      let time = now;
      const controller = await startController(tokenCleanerController, server, { now: () => time });
      const names = () => server.all(coreV1.secrets).map(({ metadata }) => metadata.name);
      await waitUntil('three are gone', () => names().length === 4);
      assert.deepEqual(names(), ['good', 'endless', 'of-another-type', 'elsewhere']);
      time += 3_600_000;
      put('good', '2030-01-01T00:59:59Z');
      await waitUntil('another one is gone', () => names().length === 3);
      await controller.stop();
      assert.equal(server.writes.length, 4);
    });
});

describe('token cleaner controller, with an API server', () => {
  const running = aroundManager([tokenCleanerController], '--use-service-account-credentials');

  it('deletes a token when it expires', async () => {
    const secrets = running.client.resource(coreV1.secrets).in('orch-system');
    const make = (id: string, expiration: number) =>
      secrets.create({
        metadata: { name: `bootstrap-token-${id}` },
        type: 'bootstrap.orch.io/token',
        stringData: {
          'token-id': id,
          'token-secret': '0123456789abcdef',
          expiration: `${new Date(expiration).toISOString().slice(0, 19)}Z`,
        },
      });
    await make('abc123', Date.now() + 2000);
    await make('def456', Date.now() + 3_600_000);
    const gone = () =>
      secrets
        .get('bootstrap-token-abc123')
        .then(() => false)
        .catch(() => true);
    await waitUntil('it is gone', gone);
    await secrets.get('bootstrap-token-def456');
  });
});
