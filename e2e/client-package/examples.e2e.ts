import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { type ConnectedClient, connect } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';
import { admissionregistrationV1, apiextensionsV1, coordinationV1, coreV1 } from '#client/generated/resources.ts';
import { adminConnection } from '#client/testing/test-connection.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { formatConnection } from '#program/connection/write-connection-file.ts';
import { startBackground, waitFor } from '#scripts/processes.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';
import { ForeignProject, NODES } from './foreign-project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LONGEST = 60;

describe('examples in a project with the packed client package', function () {
  this.timeout(120_000);
  let replica: TestReplica;
  let client: ConnectedClient;
  let project: ForeignProject;
  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    client = await connect(adminConnection(replica));
    // No controllers run here, so the test creates the service account of the pods.
    await client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
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
    const sources = globSync('examples/**/*.ts', { cwd: root });
    assert.ok(sources.length >= 6);
    const { status, output } = await project.compile(...sources);
    assert.equal(status, 0, output);
  });
  after(async () => {
    await client?.close();
    project?.remove();
  });

  /** The path of a built program of the project. */
  const built = (name: string) => path.join(project.folder, 'built/examples', `${name}.js`);
  const start = (name: string, node: string, ...args: readonly string[]) =>
    startBackground(name, node, [built(name), ...args], path.join(project.folder, `${name}.log`));
  const settings = () => path.join(project.folder, 'admin.conf');

  it('the controller is the one in docs/writing-a-controller.md, and it is short', () => {
    const page = readFileSync(path.join(root, 'docs/writing-a-controller.md'), 'utf8');
    const source = readFileSync(path.join(root, 'examples/team-controller.ts'), 'utf8');
    assert.equal(/^```ts\n(.*?)^```/ms.exec(page)?.[1], source);
    const lines = source.split('\n').filter((line) => line.trim() !== '');
    assert.ok(lines.length <= LONGEST, `it has ${lines.length} lines`);
  });

  for (const [version, node] of NODES)
    it(`the controller maintains the config map of each team, on ${version}`, async () => {
      const namespace = `team-${version.replace(/\D+/, '')}`;
      const running = start('team-controller', node, settings());
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

  for (const [version, node] of NODES) {
    it(`the informer script reports the running images, on ${version}`, async () => {
      const pods = client.resource(coreV1.pods).in('default');
      const pod = (name: string, image: string) => ({
        metadata: { name },
        spec: { nodeName: 'node1', containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 0 },
      });
      await pods.create(pod('first', 'web:1'));
      const running = start('list-images', node, settings());
      const shows = (text: string) => waitUntil(text, () => running.tail().split('\n').includes(text));
      try {
        await shows('web:1: node1');
        await pods.create(pod('second', 'web:2'));
        await shows('web:2: node1');
        await pods.delete('first', { gracePeriodSeconds: 0 });
        await shows('web:1: gone');
        await pods.delete('second', { gracePeriodSeconds: 0 });
        await shows('web:2: gone');
      } finally {
        await running.stop();
      }
      assert.equal(running.exit(), 'status 0', running.tail());
      assert.equal(running.tail().split('\n').length, 4, running.tail());
    });

    it(`the admission webhook changes and refuses objects, on ${version}`, async () => {
      const pki = testPki();
      const port = await freePort();
      const running = start('admission-webhook', node, pki.file('server.crt'), pki.file('server.key'), String(port));
      const page = readFileSync(path.join(root, 'examples/admission-webhook.yaml'), 'utf8')
        .replace('8443', String(port))
        .replace('BASE64_OF_THE_CA', Buffer.from(pki.read('ca.crt')).toString('base64'));
      const webhooks = client.resource(admissionregistrationV1.validatingwebhookconfigurations);
      const { metadata } = await webhooks.create(parse(page));
      const namespace = `webhook-${port}`;
      await client.resource(coreV1.namespaces).create({ metadata: { name: namespace, labels: { webhook: 'on' } } });
      const maps = client.resource(coreV1.configmaps).in(namespace);
      try {
        await waitFor(running, 30, async () => running.tail() === 'ready');
        await assert.rejects(maps.create({ metadata: { name: 'a' } }), /must have the label owner/);
        const owned = { metadata: { name: 'a', labels: { owner: 'me' } }, data: { a: 'x'.repeat(10_001) } };
        const made = await maps.create(owned);
        assert.equal(made.data?.['a']?.length, 10_001);
        const call = {
          method: 'PUT',
          path: `/api/v1/namespaces/${namespace}/configmaps/a`,
          body: JSON.stringify(made),
        };
        const { headers } = await client.call({ ...call, headers: { 'content-type': 'application/json' } });
        assert.match(String(headers['warning']), /10001 characters are much/);
        await maps.delete('a');
      } finally {
        await webhooks.delete(metadata.name!);
        await running.stop();
      }
      assert.equal(running.exit(), 'status 0', running.tail());
    });

    it(`the manifest check lists what the server would refuse, on ${version}`, async () => {
      const document = (kind: string, name: string, more: object = {}) =>
        stringify({ apiVersion: 'v1', kind, metadata: { name }, ...more });
      const good = [document('Namespace', 'new'), document('ConfigMap', 'a', { data: { a: 'b' } })];
      project.write('good.yaml', good.join('---\n'));
      const misspelt = document('ConfigMap', 'b', { dat: {} });
      project.write('bad.yaml', [misspelt, document('Gadget', 'c'), document('Secret', 'D')].join('---\n'));
      const program = [built('check-manifests'), settings()];
      const fine = await project.run(node, [...program, 'good.yaml']);
      assert.deepEqual(fine, {
        status: 0,
        output: 'good.yaml: Namespace new is fine\ngood.yaml: ConfigMap a is fine\n',
      });
      const { status, output } = await project.run(node, [...program, 'good.yaml', 'bad.yaml']);
      assert.equal(status, 1);
      assert.match(output, /bad\.yaml: ConfigMap b: .*dat/);
      assert.match(output, /bad\.yaml: Gadget c: the server has no Gadget of v1/);
      assert.match(output, /bad\.yaml: Secret D: .*lowercase/);
      await assert.rejects(client.resource(coreV1.configmaps).in('default').get('a'), isNotFound);
    });
  }

  describe('for a custom resource', () => {
    const definition = () => parse(readFileSync(path.join(root, 'examples/gizmos/definition.yaml'), 'utf8'));
    const types = readFileSync(path.join(root, 'examples/gizmos/gizmo-types.ts'), 'utf8');
    before(async () => {
      const definitions = client.resource(apiextensionsV1.customresourcedefinitions);
      await definitions.create(definition());
      await waitUntil('it is served', async () =>
        (await definitions.get('gizmos.example.com')).status?.conditions?.some(
          ({ type, status }) => type === 'Established' && status === 'True',
        ),
      );
    });

    for (const [version, node] of NODES) {
      const make = (...args: readonly string[]) =>
        project.run(node, [path.join(project.folder, 'node_modules/.bin/crd-to-types'), ...args]);

      it(`crd-to-types generates types from files, standard input and a server, on ${version}`, async () => {
        const made = { status: 0, output: types };
        assert.deepEqual(await make('examples/gizmos/definition.yaml'), made);
        assert.deepEqual(await make('examples/gizmos'), made);
        const input = readFileSync(path.join(root, 'examples/gizmos/definition.yaml'), 'utf8');
        const program = path.join(project.folder, 'node_modules/.bin/crd-to-types');
        assert.deepEqual(await project.run(node, [program, '-'], input), made);
        const settingsOf = ['--server', `--kubeconfig=${settings()}`];
        assert.deepEqual(await make(...settingsOf), made);
        const named = await make(...settingsOf, 'gizmos.example.com', '--output=made.ts');
        assert.deepEqual(named, { status: 0, output: '' });
        assert.equal(readFileSync(path.join(project.folder, 'made.ts'), 'utf8'), types);
      });

      it(`crd-to-types explains errors, on ${version}`, async () => {
        const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
          [[], /name files of definitions, or --server/],
          [['good.yaml'], /there are no definitions/],
          [['none.yaml'], /none\.yaml/],
          [['--serve'], /--serve/],
          [['--server', `--kubeconfig=${settings()}`, 'gadgets.example.com'], /gadgets\.example\.com.*not found/],
        ];
        for (const [args, message] of wrong) {
          const { status, output } = await make(...args);
          assert.equal(status, 1);
          assert.match(output, message);
        }
      });

      it(`a program writes typed objects and sees its own writes, on ${version}`, async () => {
        const { status, output } = await project.run(node, [built('gizmos/gizmo'), settings()]);
        assert.equal(output, 'size 3, red\nsize 4, no colour\n0 left\n');
        assert.equal(status, 0);
      });
    }
  });
});
