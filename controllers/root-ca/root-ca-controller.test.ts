import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { testPki } from '#server/testing/replica.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { managerFlags, startController } from '../testing/start-controller.ts';
import { rootCaController } from './root-ca-controller.ts';

describe('root CA publisher controller', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'root-ca-'));
    file = path.join(folder, 'ca.crt');
    writeFileSync(file, 'PEM');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const naming of namingProfiles.map(createNaming))
    it(`publishes the root CA in every namespace (${naming.profile})`, async () => {
      const server = new FakeServer([coreV1.namespaces, coreV1.configmaps], { strict: true, naming });
      const name = naming.prefixed('root-ca.crt');
      const namespace = (of: string, phase = 'Active') =>
        server.put(coreV1.namespaces, { metadata: { name: of }, status: { phase } });
      for (const one of ['a', 'b', 'c', 'd']) namespace(one);
      namespace('going', 'Terminating');
      const wrong = { 'ca.crt': 'old', extra: 'x' };
      server.put(coreV1.configmaps, { metadata: { name, namespace: 'b', labels: { l: 'v' } }, data: wrong });
      const annotations = { [naming.key('description')]: "a user's text", other: 'x' };
      server.put(coreV1.configmaps, { metadata: { name, namespace: 'c', annotations }, data: { 'ca.crt': 'PEM' } });
      const [bare, { other }] = [{ name, namespace: 'd', annotations: { other: 'x' } }, annotations];
      server.put(coreV1.configmaps, { metadata: bare, data: { 'ca.crt': 'PEM' } });
      const flags = managerFlags(`--naming=${naming.profile}`, `--root-ca-file=${file}`);
      const controller = await startController(rootCaController, server, { flags });
      const data = (of: string) => JSON.stringify(server.get(coreV1.configmaps, name, of)?.data);
      const right = JSON.stringify({ 'ca.crt': 'PEM' });
      await waitUntil('all are right', () => data('a') === right && data('b') === right);
      server.remove(coreV1.configmaps, name, 'a');
      await waitUntil('it is back', () => data('a') === right);
      const told = (of: string) => server.get(coreV1.configmaps, name, of)?.metadata.annotations ?? {};
      await waitUntil('it says what it is for', () => told('d')[naming.key('description')]);
      assert.equal(told('d')['other'], other);
      await controller.stop();
      assert.deepEqual(server.get(coreV1.configmaps, name, 'b')?.metadata.labels, { l: 'v' });
      assert.deepEqual(server.writes.map(({ what }) => what).sort(), [
        'POST configmaps/a',
        'POST configmaps/a',
        `PUT configmaps/b/${name}`,
        `PUT configmaps/d/${name}`,
      ]);
    });

  it('is unavailable without --root-ca-file', () => {
    assert.match(rootCaController.unavailable?.(managerFlags()) ?? '', /--root-ca-file/);
  });
});

describe('root CA publisher controller, with an API server', () => {
  const running = aroundManager(
    [rootCaController],
    '--use-service-account-credentials',
    `--root-ca-file=${testPki().file('ca.crt')}`,
  );

  it('reverts changes of its config map', async () => {
    const maps = running.client.resource(coreV1.configmaps).in('default');
    const pem = testPki().read('ca.crt').toString();
    const right = async () => (await maps.get('orch-root-ca.crt').catch(() => undefined))?.data?.['ca.crt'] === pem;
    await waitUntil('it is there', right);
    await maps.patch('orch-root-ca.crt', 'merge', { data: { 'ca.crt': 'mine' } });
    await waitUntil('it is right again', right);
  });
});
