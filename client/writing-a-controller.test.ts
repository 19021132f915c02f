import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeConnectionFile } from '#program/connection/connection-file.ts';
import { type Background, startBackground } from '#scripts/processes.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { type ConnectedClient, connect } from './client.ts';
import { coordinationV1, coreV1 } from './generated/resources.ts';
import { adminConnection } from './testing/test-connection.ts';
import { waitUntil } from './testing/wait-until.ts';

const root = path.resolve(import.meta.dirname, '..');
const LONGEST = 60;

describe('the controller of docs/writing-a-controller.md', () => {
  let replica: TestReplica;
  let client: ConnectedClient;
  let folder: string | undefined;
  let running: Background | undefined;
  after(async () => {
    await running?.stop();
    await client?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  aroundAll((started) => {
    replica = started;
  });

  it('does what it says', async () => {
    const [, source = ''] =
      /^```ts\n(.*?)^```/ms.exec(readFileSync(path.join(root, 'docs/writing-a-controller.md'), 'utf8')) ?? [];
    const lines = source.split('\n').filter((line) => line.trim() !== '');
    assert.ok(lines.length <= LONGEST, `it has ${lines.length} lines`);
    // Beside the client, so that what it imports is found.
    mkdirSync(path.join(root, '.run'), { recursive: true });
    folder = mkdtempSync(path.join(root, '.run/'));
    const program = path.join(folder, 'team-controller.ts');
    writeFileSync(program, source.replaceAll("'../client/", "'../../client/"));
    const connection = path.join(folder, 'admin.conf');
    const pki = testPki();
    writeConnectionFile(connection, 'test', {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
    running = startBackground('team-controller', process.execPath, [program, connection], path.join(folder, 'log'));

    client = await connect(adminConnection(replica));
    const namespaces = client.resource(coreV1.namespaces);
    const maps = client.resource(coreV1.configmaps).in('a');
    const team = () =>
      maps.get('team').then(
        ({ data }) => data?.['team'],
        () => undefined,
      );
    const until = (wanted: string | undefined) =>
      waitUntil(`the team is ${wanted}`, async () => (await team()) === wanted, 60_000);
    await namespaces.create({ metadata: { name: 'a', labels: { 'example.com/team': 'red' } } });
    await until('red');
    await maps.delete('team');
    await until('red');
    await maps.patch('team', 'merge', { data: { team: 'mine' } });
    await until('red');
    await namespaces.patch('a', 'merge', { metadata: { labels: { 'example.com/team': 'blue' } } });
    await until('blue');
    await namespaces.patch('a', 'merge', { metadata: { labels: { 'example.com/team': null } } });
    await until(undefined);
    await running.stop();
    const lease = await client.resource(coordinationV1.leases).in('default').get('team-controller');
    assert.equal(lease.spec?.holderIdentity, '', 'it has given its lease up');
    assert.equal(running.exit(), 'status 0', running.tail());
  });
});
