import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '#client/testing/wait-until.ts';
import { KmsPluginServer } from '#program/encryption/testing/kms-plugin-server.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestAnswer, type TestReplica } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { configuration, IDENTITY, keyed } from './encryption-files.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';
describe('encryption at rest', function () {
  this.timeout(240_000);
  let folder: string;
  let etcd: EtcdProcess;
  let raw: DataStore;
  let file: string;
  const replicas: TestReplica[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'encryption-'));
    file = path.join(folder, 'encryption.yaml');
    etcd = await startBootstrappedEtcd();
    raw = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await raw.close();
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  async function start(text: string | undefined, ...flags: string[]): Promise<TestReplica> {
    if (text !== undefined) writeFileSync(file, text);
    const given = text === undefined ? [] : [`--encryption-provider-config=${file}`];
    const replica = await startReplica(etcd.endpoint, ...given, ...flags);
    replicas.push(replica);
    return replica;
  }

  async function stop(replica: TestReplica): Promise<void> {
    replicas.splice(replicas.indexOf(replica), 1);
    await replica.stop();
  }

  async function createSecret(replica: TestReplica, name: string, value = `value of ${name}`): Promise<void> {
    const body = { metadata: { name }, stringData: { it: value } };
    const made = await replica.call('POST', SECRETS, { body });
    assert.equal(made.status, 201, made.text);
    assert.equal(textOf(made), value);
  }

  function textOf({ json }: TestAnswer): string {
    return Buffer.from(json.data.it, 'base64').toString();
  }

  async function head(name: string, resource = 'core/secrets/default'): Promise<string> {
    const stored = await raw.get(`/registry/${resource}/${name}`);
    return stored!.value.toString('latin1').slice(0, 24);
  }

  /** Reads the stored object and writes it again. */
  async function rewrite(replica: TestReplica, name: string): Promise<TestAnswer> {
    const got = await replica.call('GET', `${SECRETS}/${name}`);
    const put = await replica.call('PUT', `${SECRETS}/${name}`, { body: got.json });
    assert.equal(put.status, 200, put.text);
    assert.equal(textOf(put), textOf(got));
    return put;
  }

  /** Ends etcd, and returns whether its disk contains a text or its base64, also in the write-ahead log. */
  async function disk(): Promise<(text: string) => boolean> {
    await etcd.kill();
    const bytes = await etcd.bytesOnDisk();
    return (text) => bytes.includes(text) || bytes.includes(Buffer.from(text).toString('base64'));
  }

  for (const kind of ['aesgcm', 'aescbc', 'secretbox']) {
    it(`leaves no plain text on the disk of etcd: ${kind}`, async () => {
      const replica = await start(configuration('[secrets]', keyed(kind, 1), IDENTITY));
      const events: TestAnswer['json'][] = [];
      const watch = await replica.watch(`${SECRETS}?watch=true`, (event) => events.push(event));
      await createSecret(replica, 'one', 'x'.repeat(50));
      const body = { data: { it: Buffer.from('y'.repeat(50)).toString('base64') } };
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      assert.equal((await replica.call('PATCH', `${SECRETS}/one`, { body, headers })).status, 200);
      await replica.call('POST', MAPS, { body: { metadata: { name: 'one' }, data: { it: 'z'.repeat(50) } } });
      await waitUntil('the watch shows the changes', async () => events.length >= 2, 60_000);
      assert.deepEqual(
        events.map(({ object }) => Buffer.from(object.data.it, 'base64').toString()[0]),
        ['x', 'y'],
      );
      watch.close();
      assert.equal(textOf(await replica.call('GET', `${SECRETS}/one`)), 'y'.repeat(50));
      assert.ok((await head('one')).startsWith(`orch:enc:${kind}:v1:key1:`.slice(0, 24)));
      assert.ok((await head('one', 'core/configmaps/default')).startsWith('{"kind":"ConfigMap"'));
      await stop(replica);
      await etcd.kill();
      const bytes = await etcd.bytesOnDisk();
      assert.ok(bytes.includes('z'.repeat(50)), 'what is not encrypted is found');
      for (const text of ['x'.repeat(50), 'y'.repeat(50)]) {
        assert.equal(bytes.includes(text), false);
        assert.equal(bytes.includes(Buffer.from(text).toString('base64')), false);
      }
    });
  }

  it('migrates from plain text to a key, to another key, and back', async () => {
    const steps: readonly [what: string, providers: readonly string[], written: string][] = [
      ['nothing is encrypted', [IDENTITY], '{"kind":"Secret"'],
      ['the new key decrypts', [IDENTITY, keyed('aesgcm', 1)], '{"kind":"Secret"'],
      ['the new key encrypts', [keyed('aesgcm', 1), IDENTITY], 'orch:enc:aesgcm:v1:key1:'],
      ['plain values are refused', [keyed('aesgcm', 1)], 'orch:enc:aesgcm:v1:key1:'],
      ['another key decrypts', [keyed('aesgcm', 1, 2)], 'orch:enc:aesgcm:v1:key1:'],
      ['another key encrypts', [keyed('aesgcm', 2, 1)], 'orch:enc:aesgcm:v1:key2:'],
      ['another kind of key decrypts', [keyed('aesgcm', 2), keyed('secretbox', 3)], 'orch:enc:aesgcm:v1:key2:'],
      ['another kind of key encrypts', [keyed('secretbox', 3), keyed('aesgcm', 2)], 'orch:enc:secretbox:v1:ke'],
      ['plain values are read again', [keyed('secretbox', 3), IDENTITY], 'orch:enc:secretbox:v1:ke'],
      ['nothing is encrypted any more', [IDENTITY, keyed('secretbox', 3)], '{"kind":"Secret"'],
      ['nothing was ever encrypted', [IDENTITY], '{"kind":"Secret"'],
    ];
    let before: TestReplica | undefined;
    for (const [what, providers, written] of steps) {
      // The earlier replica continues at the same time for a while, as when operators restart replicas one after the
      // other.
      const replica = await start(configuration('[secrets]', ...providers));
      if (before === undefined) await createSecret(replica, 'old');
      const list = await replica.call('GET', SECRETS);
      assert.equal(list.status, 200, `${what}: ${list.text}`);
      const rewritten = await rewrite(replica, 'old');
      assert.ok((await head('old')).startsWith(written), `${what}: ${await head('old')}`);
      const again = await rewrite(replica, 'old');
      assert.equal(again.json.metadata.resourceVersion, rewritten.json.metadata.resourceVersion, what);
      const name = `n${replica.port}`;
      await createSecret(replica, name);
      assert.ok((await head(name)).startsWith(written), what);
      if (before !== undefined) {
        assert.equal((await before.call('GET', `${SECRETS}/${name}`)).status, 200, `${what}, to the replica before`);
        await stop(before);
      }
      for (const { metadata } of list.json.items) await rewrite(replica, metadata.name);
      before = replica;
    }
  });

  it('answers 410 for history whose key is gone, instead of a part of it', async () => {
    const first = await start(configuration('[secrets]', keyed('aesgcm', 1)));
    for (const name of ['one', 'two', 'gone']) await createSecret(first, name);
    const before = (await first.call('GET', SECRETS)).json.metadata.resourceVersion;
    const goesOn = (await first.call('GET', `${SECRETS}?limit=1`)).json.metadata.continue;
    assert.equal((await first.call('DELETE', `${SECRETS}/gone`)).status, 200);
    await rewrite(await start(configuration('[secrets]', keyed('aesgcm', 2, 1))), 'one');
    const second = replicas.at(-1)!;
    const rewritten = await rewrite(second, 'two');
    await createSecret(second, 'three');
    const late = await start(configuration('[secrets]', keyed('aesgcm', 2)));
    const watch = (from: string) => late.call('GET', `${SECRETS}?watch=true&timeoutSeconds=1&resourceVersion=${from}`);
    assert.match((await watch(before)).text, /^{"type":"ERROR","object":.*"code":410/);
    const known = (await watch(rewritten.json.metadata.resourceVersion)).text;
    assert.match(known, /^{"type":"ADDED","object":.*"name":"three".*\n$/);
    const exact = await late.call('GET', `${SECRETS}?resourceVersion=${before}&resourceVersionMatch=Exact`);
    assert.deepEqual([exact.status, exact.json.reason], [410, 'Expired'], exact.text);
    const page = await late.call('GET', `${SECRETS}?resourceVersion=${before}&limit=1`);
    assert.deepEqual([page.status, page.json.reason], [410, 'Expired'], page.text);
    const rest = await late.call('GET', `${SECRETS}?limit=9&continue=${goesOn}`);
    assert.deepEqual([rest.status, rest.json.reason], [410, 'Expired'], rest.text);
    const inconsistent = await late.call('GET', `${SECRETS}?limit=9&continue=${rest.json.metadata.continue}`);
    assert.equal(inconsistent.status, 200, inconsistent.text);
    const list = await late.call('GET', SECRETS);
    assert.deepEqual(
      list.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      ['one', 'three', 'two'],
    );
  });

  it('lists objects that it cannot decrypt and drops none of them', async () => {
    const first = await start(configuration('[secrets]', keyed('aesgcm', 1), IDENTITY));
    await createSecret(first, 'one');
    await createSecret(first, 'two');
    const events: TestAnswer['json'][] = [];
    const watch = await first.watch(`${SECRETS}?watch=true&resourceVersion=0`, (event) => events.push(event));
    // These values have been moved from one key to another.
    const moved = (await raw.get('/registry/core/secrets/default/one'))!.value;
    const key = '/registry/core/secrets/default/two';
    const written = await raw.update(key, (await raw.get(key))!.revision, moved);
    assert.equal(written.outcome, 'written');
    await watch.ended;
    assert.deepEqual(
      events.filter(({ type }) => type === 'DELETED'),
      [],
    );
    const without = await start(undefined);
    const other = await start(configuration('[secrets]', keyed('secretbox', 2), IDENTITY));
    for (const [replica, lost, reason] of [
      [first, ['two'], 'the key is another one, the value was changed, or it was moved to another place'],
      [without, ['one', 'two'], 'this replica has no encryption configuration for its resource'],
      [other, ['one', 'two'], 'no provider has its key'],
    ] as const) {
      for (const name of lost) {
        const target = `${SECRETS}/${name}`;
        const message = `the stored value of secrets "${name}" cannot be opened: it is encrypted with orch:enc:aesgcm:v1:key1:, and ${reason}`;
        const got = await replica.call('GET', target);
        assert.equal(got.status, 500, got.text);
        assert.deepEqual([got.json.reason, got.json.message], ['InternalError', `Internal error occurred: ${message}`]);
        for (const method of ['PUT', 'DELETE']) {
          const answer = await replica.call(method, target, method === 'PUT' ? { body: { metadata: { name } } } : {});
          assert.equal(answer.status, 500, answer.text);
          assert.ok(answer.json.message.includes(message), answer.text);
        }
        const taken = await replica.call('POST', SECRETS, { body: { metadata: { name } } });
        assert.equal(taken.status, 409, taken.text);
      }
      for (const target of [
        SECRETS,
        `${SECRETS}?limit=1`,
        `${SECRETS}?resourceVersion=0`,
        `${SECRETS}?labelSelector=a`,
        '/api/v1/secrets',
        `${SECRETS}?watch=true`,
        `${SECRETS}?watch=true&resourceVersion=${written.outcome === 'written' ? written.revision : 0}`,
        `${SECRETS}?resourceVersionMatch=Exact&resourceVersion=${(await raw.get(key))!.revision}`,
      ]) {
        const answer = await replica.call('GET', target);
        assert.equal(answer.status, 500, `${target}: ${answer.text}`);
        assert.match(JSON.parse(answer.text).message, /the stored value of secrets "[^"]*" cannot be opened/);
      }
      assert.equal((await replica.call('DELETE', SECRETS)).status, 500);
      assert.equal((await replica.call('GET', '/api/v1/namespaces/kube-system/secrets')).status, 200);
      const { text } = await replica.call('GET', '/metrics');
      assert.match(text, new RegExp(`^apiserver_storage_values_not_opened{resource="secrets"} ${lost.length}$`, 'm'));
    }
    assert.deepEqual((await raw.get(key))!.value, moved);
    assert.equal((await first.call('GET', `${SECRETS}/one`)).status, 200);
    // A replica that has the key repairs the value.
    const { value } = (await raw.get('/registry/core/secrets/default/one'))!;
    assert.deepEqual(value, moved);
    assert.equal((await raw.remove(key, (await raw.get(key))!.revision)).outcome, 'written');
    await waitUntil('the list is whole again', async () => (await first.call('GET', SECRETS)).status === 200, 60_000);
    assert.equal((await first.call('GET', `${SECRETS}/two`)).status, 404);
  });

  it('refuses plain text values if the configuration has no identity provider', async () => {
    const first = await start(configuration('[secrets]', IDENTITY));
    await createSecret(first, 'one');
    await stop(first);
    const replica = await start(configuration('[secrets]', keyed('aesgcm', 1)));
    const message =
      'the stored value of secrets "one" cannot be opened: it is not encrypted, and the configuration does not name "identity" as a provider';
    for (const [method, target] of [
      ['GET', `${SECRETS}/one`],
      ['GET', SECRETS],
      ['DELETE', `${SECRETS}/one`],
    ] as const) {
      const answer = await replica.call(method, target);
      assert.deepEqual([answer.status, answer.json.message], [500, `Internal error occurred: ${message}`], method);
    }
    await createSecret(replica, 'two');
    assert.equal((await replica.call('GET', `${SECRETS}/two`)).status, 200);
  });

  it('reloads its configuration and can then decrypt more values', async () => {
    const first = await start(configuration('[secrets, configmaps]', keyed('aesgcm', 1), IDENTITY));
    await createSecret(first, 'one');
    await stop(first);
    const flag = '--encryption-provider-config-automatic-reload';
    const replica = await start(configuration('[secrets]', keyed('aesgcm', 2)), flag);
    assert.equal((await replica.call('GET', SECRETS)).status, 500);
    writeFileSync(file, configuration('[secrets]', '  - aesgcm: {}\n'));
    const metric = async (pattern: RegExp) => pattern.test((await replica.call('GET', '/metrics')).text);
    const name = 'apiserver_encryption_config_controller_automatic_reloads_total';
    await waitUntil('the failure is counted', () => metric(new RegExp(`^${name}{status="failure"} 1$`, 'm')), 60_000);
    await createSecret(replica, 'two');
    assert.equal(await head('two'), 'orch:enc:aesgcm:v1:key2:');
    writeFileSync(file, configuration('[secrets]', keyed('aesgcm', 3, 2, 1)));
    await waitUntil('the list can be opened', async () => (await replica.call('GET', SECRETS)).status === 200, 60_000);
    const list = await replica.call('GET', SECRETS);
    assert.deepEqual(list.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort(), [
      'one',
      'two',
    ]);
    assert.ok(await metric(new RegExp(`^${name}{status="success"} 1$`, 'm')));
    await rewrite(replica, 'one');
    assert.equal(await head('one'), 'orch:enc:aesgcm:v1:key3:');
  });

  for (const version of ['v1', 'v2']) {
    it(`gets keys from a KMS plug-in, and works while the plug-in is down: ${version}`, async () => {
      const plugin = new KmsPluginServer(path.join(folder, 'kms.sock'));
      const kms = `  - kms: {apiVersion: ${version}, name: vault, endpoint: "unix://${plugin.path}", timeout: 2s}\n`;
      const text = configuration('[secrets]', kms, IDENTITY);
      const gate = '--feature-gates=KMSv2=true';
      await plugin.start();
      try {
        const first = await start(text, gate);
        await createSecret(first, 'one');
        assert.ok((await head('one')).startsWith(`orch:enc:kms:${version}:vault:`));
        assert.equal((await first.call('GET', '/healthz/kms-provider-0')).text, 'ok');
        plugin.stop();
        // The replica decrypts the value with the data key that it has in memory.
        await createSecret(first, 'two');
        assert.equal((await first.call('GET', SECRETS)).json.items.length, 2);
        const late = await start(text, gate);
        assert.equal((await late.call('GET', '/healthz/kms-provider-0')).status, 500);
        assert.equal((await late.call('GET', '/readyz')).status, 500);
        assert.equal((await late.call('GET', '/livez')).status, 200);
        assert.equal((await late.call('GET', SECRETS)).status, 500);
        const refused = await late.call('POST', SECRETS, { body: { metadata: { name: 'three' } } });
        assert.equal(refused.status, 503, refused.text);
        assert.match(refused.json.message, /cannot be encrypted/);
        const clear = { metadata: { name: 'kept-in-the-clear' } };
        assert.equal((await late.call('POST', MAPS, { body: clear })).status, 201);
        await plugin.start();
        await waitUntil('the values are opened', async () => (await late.call('GET', SECRETS)).status === 200, 60_000);
        assert.equal((await late.call('GET', SECRETS)).json.items.length, 2);
        await waitUntil('it is ready', async () => (await late.call('GET', '/readyz')).status === 200, 60_000);
        await createSecret(late, 'three');
        assert.equal(textOf(await first.call('GET', `${SECRETS}/three`)), 'value of three');
        const isOnDisk = await disk();
        assert.ok(isOnDisk('"name":"kept-in-the-clear"'), 'what is not encrypted is found');
        for (const name of ['one', 'two', 'three']) assert.equal(isOnDisk(`value of ${name}`), false);
      } finally {
        plugin.stop();
      }
    });
  }

  it('works for any resource, including custom resources', async () => {
    const replica = await start(
      configuration("[widgets.example.com, '*.apps', leases.coordination.orch.io]", keyed('aesgcm', 1), IDENTITY),
    );
    const schema = { openAPIV3Schema: { type: 'object', 'x-orch-preserve-unknown-fields': true } };
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const defined = await replica.call('POST', '/apis/apiextensions.orch.io/v1/customresourcedefinitions', {
      body: definition,
    });
    assert.equal(defined.status, 201, defined.text);
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    await waitUntil('widgets are served', async () => (await replica.call('GET', widgets)).status === 200, 60_000);
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 3 } };
    assert.equal((await replica.call('POST', widgets, { body })).status, 201);
    assert.equal(await head('one', 'example.com/widgets/default'), 'orch:enc:aesgcm:v1:key1:');
    assert.equal((await replica.call('GET', `${widgets}/one`)).json.spec.size, 3);
    const lease = { metadata: { name: 'one' }, spec: {} };
    const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases';
    assert.equal((await replica.call('POST', leases, { body: lease })).status, 201);
    assert.equal(await head('one', 'coordination/leases/default'), 'orch:enc:aesgcm:v1:key1:');
  });

  it('works for all resources with *.*, but not for internal records', async () => {
    const replica = await start(configuration("['*.*']", keyed('aesgcm', 1), IDENTITY));
    const body = { metadata: { name: 'one' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } };
    const made = await replica.call('POST', '/api/v1/namespaces/default/services', { body });
    assert.equal(made.status, 201, made.text);
    assert.equal(await head('one', 'core/services/default'), 'orch:enc:aesgcm:v1:key1:');
    const claims = (await raw.list('/registry/claims/', {})).items.filter(({ value }) => value.includes('"one"'));
    assert.deepEqual(
      claims.map(({ key }) => key),
      [
        `/registry/claims/cluster-ips/${made.json.spec.clusterIP}`,
        `/registry/claims/node-ports/${made.json.spec.ports[0].nodePort}`,
      ],
    );
  });

  it('refuses to start with an invalid configuration and names the line', async () => {
    const short = configuration(
      '[secrets]',
      '  - aesgcm:\n      keys:\n      - name: key1\n        secret: c2hvcnQ=\n',
    );
    await assert.rejects(start(short), {
      name: 'ConfigError',
      message: `${file}:9:17: resources[0].providers[0].aesgcm.keys[0].secret must have 16, 24 or 32 bytes for aesgcm, and has 5`,
    });
    await assert.rejects(start(configuration('[secret]', IDENTITY)), /:4:15: .*there is no "secret"/);
    rmSync(file);
    const flag = `--encryption-provider-config=${file}`;
    await assert.rejects(
      startReplica(etcd.endpoint, flag),
      /flag --encryption-provider-config: cannot read .*: ENOENT/,
    );
  });
});
