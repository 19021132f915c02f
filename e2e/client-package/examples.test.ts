import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ConnectedClient, connect } from '#client/client.ts';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import { adminConnection } from '#client/testing/test-connection.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { formatConnection } from '#program/connection/connection-file.ts';
import { startBackground } from '#scripts/processes.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { ForeignProject, NODES } from './foreign-project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LONGEST = 60;

describe('examples in a project that has the packed client', function () {
  this.timeout(120_000);
  let replica: TestReplica;
  let client: ConnectedClient;
  let project: ForeignProject;
  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    client = await connect(adminConnection(replica));
    project = await ForeignProject.create();
    project.copy('examples', 'examples');
    const pki = testPki();
    const connection = {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    };
    project.write('admin.conf', formatConnection('test', connection));
    const { status, output } = await project.compile('examples/team-controller.ts');
    assert.equal(status, 0, output);
  });
  after(async () => {
    await client?.close();
    project?.remove();
  });

  it('the controller is the one of docs/writing-a-controller.md, and short', () => {
    const page = readFileSync(path.join(root, 'docs/writing-a-controller.md'), 'utf8');
    const source = readFileSync(path.join(root, 'examples/team-controller.ts'), 'utf8');
    assert.equal(/^```ts\n(.*?)^```/ms.exec(page)?.[1], source);
    const lines = source.split('\n').filter((line) => line.trim() !== '');
    assert.ok(lines.length <= LONGEST, `it has ${lines.length} lines`);
  });

  for (const [version, node] of NODES)
    it(`the controller does what it says, on ${version}`, async () => {
      const namespace = `team-${version.replace(/\D+/, '')}`;
      const log = path.join(project.folder, `${namespace}.log`);
      const program = path.join(project.folder, 'built/examples/team-controller.js');
      const running = startBackground(namespace, node, [program, path.join(project.folder, 'admin.conf')], log);
      try {
        const namespaces = client.resource(coreV1.namespaces);
        const maps = client.resource(coreV1.configmaps).in(namespace);
        const team = () =>
          maps.get('team').then(
            ({ data }) => data?.['team'],
            () => undefined,
          );
        const until = (wanted: string | undefined) =>
          waitUntil(`the team is ${wanted}`, async () => (await team()) === wanted, 60_000);
        await namespaces.create({ metadata: { name: namespace, labels: { 'example.com/team': 'red' } } });
        await until('red');
        await maps.delete('team');
        await until('red');
        await maps.patch('team', 'merge', { data: { team: 'mine' } });
        await until('red');
        await namespaces.patch(namespace, 'merge', { metadata: { labels: { 'example.com/team': 'blue' } } });
        await until('blue');
        await namespaces.patch(namespace, 'merge', { metadata: { labels: { 'example.com/team': null } } });
        await until(undefined);
      } finally {
        await running.stop();
      }
      assert.equal(running.exit(), 'status 0', running.tail());
      const lease = await client.resource(coordinationV1.leases).in('default').get('team-controller');
      assert.equal(lease.spec?.holderIdentity, '', 'it has given its lease up');
    });
});
