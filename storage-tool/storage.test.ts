import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTool } from '#scripts/ensure-tool.ts';
import { findEtcd } from '#scripts/find-etcd.ts';
import { programToTest } from '#scripts/programs.ts';
import { startReplica, type TestReplica, testNaming } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { keptData } from '#storage-etcd/testing/kept-data.ts';
import { run } from './run.ts';
import type { Finding } from './verify.ts';

const KEYS = [1, 2].map((n) => Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5 + n)).toString('base64'));
const SECRET = 'the value of a secret, which no command shows';

function configuration(...numbers: number[]): string {
  const keys = numbers.map((n) => `      - {name: key${n}, secret: ${KEYS[n - 1]}}\n`);
  const apiVersion = testNaming.apiVersion('apiserver.config', 'v1');
  return `apiVersion: ${apiVersion}\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n  - aesgcm:\n      keys:\n${keys.join('')}  - identity: {}\n`;
}

describe('orch-storage', function () {
  this.timeout(120_000);
  let folder: string;
  let file: string;
  let etcd: EtcdProcess;
  let raw: DataStore;
  let written = '';
  /** What each test finds in etcd. */
  let data: string;

  before(async () => {
    const first = mkdtempSync(path.join(tmpdir(), 'storage-tool-'));
    const providers = path.join(first, 'encryption.yaml');
    writeFileSync(providers, configuration(1));
    const filled = await EtcdProcess.start();
    const replica = await startReplica(filled.endpoint, `--encryption-provider-config=${providers}`);
    try {
      await fill(replica);
    } finally {
      await replica.stop();
      data = await keptData(filled);
      rmSync(first, { recursive: true });
    }
  });

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'storage-tool-'));
    file = path.join(folder, 'encryption.yaml');
    writeFileSync(file, configuration(1));
    etcd = await EtcdProcess.start({ data });
    raw = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  afterEach(async () => {
    assert.equal(written.includes(SECRET), false);
    assert.equal(written.includes(Buffer.from(SECRET).toString('base64')), false);
    written = '';
    await raw.close();
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  async function fill(replica: TestReplica): Promise<void> {
    const made: readonly [target: string, body: object][] = [
      ['/api/v1/namespaces/default/configmaps', { metadata: { name: 'one' }, data: { a: 'b' } }],
      ['/api/v1/namespaces/default/configmaps', { metadata: { name: 'two' } }],
      ['/api/v1/namespaces/default/secrets', { metadata: { name: 'one' }, stringData: { it: SECRET } }],
      [
        '/api/v1/namespaces/default/services',
        { metadata: { name: 'one' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      ],
      ['/api/v1/namespaces/default/services', { metadata: { name: 'two' }, spec: { ports: [{ port: 80 }] } }],
      [
        '/apis/apiextensions.orch.io/v1/customresourcedefinitions',
        {
          metadata: { name: 'widgets.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Namespaced',
            names: { plural: 'widgets', kind: 'Widget' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
      ],
    ];
    for (const [target, body] of made) {
      const answer = await replica.call('POST', target, { body });
      assert.equal(answer.status, 201, answer.text);
    }
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } };
    const giveUpAt = Date.now() + 30_000;
    while ((await replica.call('POST', widgets, { body })).status !== 201) assert.ok(Date.now() < giveUpAt);
  }

  /** Runs a command; what it wrote as JSON where it did. */
  async function tool(...words: string[]): Promise<{ code: number; text: string; errors: string }> {
    let text = '';
    let errors = '';
    const server = `--etcd-servers=${etcd.endpoint}`;
    const code = await run([server, `--encryption-provider-config=${file}`, ...words], {
      out: { write: (some: string) => (text += some) },
      err: { write: (some: string) => (errors += some) },
    });
    written += text + errors;
    return { code, text, errors };
  }

  /** The same as {@link tool}, by the program as it is built: it starts a server that is built like it. */
  async function built(...words: string[]): Promise<{ code: number; text: string; errors: string }> {
    const { main, environment } = programToTest('storage/main');
    const args = [main, `--etcd-servers=${etcd.endpoint}`, `--encryption-provider-config=${file}`, ...words];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    const closed = once(child, 'close');
    const [text, errors] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
    const [code] = (await closed) as [number];
    written += text + errors;
    return { code, text, errors };
  }

  async function put(key: string, change: (text: string) => string | undefined): Promise<void> {
    const absolute = `/registry/${key}`;
    const found = await raw.get(absolute);
    const value = change(found?.value.toString() ?? '');
    const write = value === undefined ? { key: absolute } : { key: absolute, value: Buffer.from(value) };
    const done = await raw.transact([{ key: absolute, revision: found?.revision ?? 0 }], [write]);
    assert.equal(done.outcome, 'written');
  }

  async function textOf(key: string): Promise<string> {
    return (await raw.get(`/registry/${key}`))!.value.toString();
  }

  it('finds nothing wrong in what replicas store', async () => {
    const { code, text, errors } = await tool('verify');
    assert.equal(code, 0, text + errors);
    assert.match(text, /^\d+ objects, 0 findings, 0 repaired\n$/);
  });

  it('finds what is damaged, names it, and puts right what can be derived', async () => {
    const one = 'core/configmaps/default/one';
    const map = await textOf(one);
    const service = await textOf('core/services/default/one');
    const { clusterIP, ports } = JSON.parse(service).spec;
    const { clusterIP: other } = JSON.parse(await textOf('core/services/default/two')).spec;
    const uid = JSON.parse(map).metadata.uid;
    const renamed = (name: string, id: string) => map.replaceAll('"name":"one"', `"name":"${name}"`).replace(uid, id);
    const planted: readonly [damage: string, key: string, change: (text: string) => string | undefined][] = [
      ['not-an-object', 'core/configmaps/default/bytes', () => '\u0000\u0001'],
      ['not-an-object', 'core/configmaps/default/half', () => map.slice(0, 90)],
      ['wrong-name', 'core/configmaps/default/moved', () => map.replace(uid, 'u-moved')],
      ['wrong-kind', 'core/configmaps/default/kind', () => renamed('kind', 'u-kind').replace('"ConfigMap"', '"Pod"')],
      ['no-uid', 'core/configmaps/default/nobody', () => renamed('nobody', '')],
      ['same-uid', 'core/configmaps/default/twin', () => renamed('twin', uid)],
      [
        'not-of-its-schema',
        'core/configmaps/default/misfit',
        () => renamed('misfit', 'u-misfit').replace('"data":{"a":"b"}', '"data":{"a":{"b":1}}'),
      ],
      [
        'no-such-namespace',
        'core/configmaps/nowhere/lost',
        () => renamed('lost', 'u-lost').replace('"namespace":"default"', '"namespace":"nowhere"'),
      ],
      [
        'owner-gone',
        'core/configmaps/default/orphan',
        () =>
          renamed('orphan', 'u-orphan').replace(
            '"uid":"u-orphan"',
            '"uid":"u-orphan","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"u-gone"}]',
          ),
      ],
      [
        'no-definition',
        'example.com/gadgets/default/one',
        () =>
          '{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"one","namespace":"default","uid":"u-g"}}',
      ],
      [
        'version-not-listed',
        'example.com/widgets/default/old',
        () =>
          '{"kind":"Widget","apiVersion":"example.com/v0","metadata":{"name":"old","namespace":"default","uid":"u-w"}}',
      ],
      ['claim-of-nobody', 'claims/cluster-ips/10.0.0.200', () => '{"namespace":"default","name":"gone","uid":"u"}'],
      ['service-without-claim', `claims/cluster-ips/${clusterIP}`, () => undefined],
      [
        'service-without-claim',
        `claims/node-ports/${ports[0].nodePort}`,
        () => '{"namespace":"x","name":"y","uid":"z"}',
      ],
      [
        'claimed-twice',
        'core/services/default/thief',
        () =>
          service
            .replaceAll('"name":"one"', '"name":"thief"')
            .replace(JSON.parse(service).metadata.uid, 'u-thief')
            .replaceAll(`"${clusterIP}"`, `"${other}"`)
            .replace(/"nodePort":\d+/, '"nodePort":0'),
      ],
    ];
    for (const [, key, change] of planted) await put(key, change);
    const found = await tool('verify', '-o', 'json');
    assert.equal(found.code, 1, found.errors);
    const { findings } = JSON.parse(found.text) as { findings: Finding[] };
    const where = new Map([
      [`claims/cluster-ips/${clusterIP}`, 'core/services/default/one'],
      [`claims/node-ports/${ports[0].nodePort}`, 'core/services/default/one'],
    ]);
    assert.deepEqual(
      findings.map(({ damage, key }) => `${damage} ${key}`).sort(),
      planted.map(([damage, key]) => `${damage} /registry/${where.get(key) ?? key}`).sort(),
    );
    assert.ok(findings.every(({ repaired }) => !repaired));
    const repaired = await tool('verify', '--repair', '-o', 'json');
    const mended = (JSON.parse(repaired.text) as { findings: Finding[] }).findings.filter(
      (finding) => finding.repaired,
    );
    assert.deepEqual(mended.map(({ damage }) => damage).sort(), [
      'claim-of-nobody',
      'service-without-claim',
      'service-without-claim',
    ]);
    const again = JSON.parse((await tool('verify', '-o', 'json')).text) as { findings: Finding[] };
    assert.equal(again.findings.length, findings.length - 3);
  });

  it('takes what another release has stored, in a version of the kind that this one knows', async () => {
    const uid = 'u-capacity';
    const metadata = { name: 'one', namespace: 'default', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
    const body = { kind: 'CSIStorageCapacity', metadata, storageClassName: 'fast', capacity: '1Gi' };
    const stored = (version: string) => () =>
      JSON.stringify({ apiVersion: testNaming.apiVersion('storage', version), ...body });
    await put('storage/csistoragecapacities/default/one', stored('v1beta1'));
    assert.match((await tool('verify')).text, /, 0 findings/);
    await put('storage/csistoragecapacities/default/one', stored('v7'));
    assert.match(
      (await tool('verify')).text,
      /^wrong-kind +\/registry\/storage\/csistoragecapacities\/default\/one +/m,
    );
  });

  it('brings what another release has stored into the version that is stored now', async () => {
    const metadata = { name: 'one', namespace: 'default', uid: 'u-v1', creationTimestamp: '2026-01-01T00:00:00Z' };
    const autoscaler = (apiVersion: string, spec: object) => () =>
      JSON.stringify({ kind: 'HorizontalPodAutoscaler', apiVersion, metadata, spec, status: {} });
    const scaleTargetRef = { kind: 'Deployment', name: 'd' };
    const key = '/registry/autoscaling/horizontalpodautoscalers/default/one';
    const v1 = testNaming.apiVersion('autoscaling', 'v1');
    await put(
      'autoscaling/horizontalpodautoscalers/default/one',
      autoscaler(v1, { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 }),
    );
    assert.equal(JSON.parse((await tool('migrate', '--dry-run', '-o', 'json')).text).written, 1);
    const { code, text } = await tool('migrate', '--rate=1000', '-o', 'json');
    assert.deepEqual([code, JSON.parse(text).written], [0, 1]);
    const { value } = (await raw.get(key))!;
    const { apiVersion, spec } = JSON.parse(value.toString());
    assert.equal(apiVersion, testNaming.apiVersion('autoscaling', 'v2'));
    const target = { type: 'Utilization', averageUtilization: 70 };
    assert.deepEqual(spec.metrics, [{ type: 'Resource', resource: { name: 'cpu', target } }]);
    assert.equal(JSON.parse((await tool('migrate', '-o', 'json')).text).written, 0);
    assert.match((await tool('verify')).text, /, 0 findings/);
    const replica = await startReplica(etcd.endpoint, `--encryption-provider-config=${file}`);
    try {
      const at = `/apis/${v1}/namespaces/default/horizontalpodautoscalers/one`;
      const { json } = await replica.call('GET', at);
      assert.equal(json.spec.targetCPUUtilizationPercentage, 70);
      // An update without changes finds nothing to write: it is stored as the server would.
      await replica.call('PUT', at, { body: json });
      assert.deepEqual((await raw.get(key))!.value, value);
    } finally {
      await replica.stop();
    }
    // what cannot be converted is named, and left
    await put('autoscaling/horizontalpodautoscalers/default/one', autoscaler(v1, { maxReplicas: 'three' }));
    const refused = await tool('migrate');
    assert.equal(refused.code, 1);
    assert.match(refused.text, /horizontalpodautoscalers\/default\/one: it cannot be converted: /);
  });

  it('names what it cannot open', async () => {
    writeFileSync(file, configuration(2));
    const { code, text } = await tool('verify');
    assert.equal(code, 1);
    assert.match(
      text,
      /not-opened +\/registry\/core\/secrets\/default\/one +it is encrypted with orch:enc:aesgcm:v1:key1:, and no provider has its key/,
    );
    const migrated = await tool('migrate');
    assert.equal(migrated.code, 1);
    assert.match(migrated.text, /core\/secrets\/default\/one: it is encrypted with .*, and no provider has its key/);
  });

  it('writes values again with the first key, once, and leaves others alone', async () => {
    writeFileSync(file, configuration(2, 1));
    const before = (await raw.get('/registry/core/configmaps/default/one'))!.revision;
    const dry = JSON.parse((await tool('migrate', '--dry-run', '-o', 'json')).text);
    assert.ok(dry.written >= 1);
    const { code, text } = await tool('migrate', '--rate=1000', '-o', 'json');
    assert.equal(code, 0);
    assert.equal(JSON.parse(text).written, dry.written);
    assert.ok((await textOf('core/secrets/default/one')).startsWith('orch:enc:aesgcm:v1:key2:'));
    assert.equal((await raw.get('/registry/core/configmaps/default/one'))!.revision, before);
    assert.equal(JSON.parse((await tool('migrate', '-o', 'json')).text).written, 0);
    writeFileSync(file, configuration(2));
    const replica = await startReplica(etcd.endpoint, `--encryption-provider-config=${file}`);
    try {
      const { json } = await replica.call('GET', '/api/v1/namespaces/default/secrets/one');
      assert.equal(Buffer.from(json.data.it, 'base64').toString(), SECRET);
    } finally {
      await replica.stop();
    }
  });

  it('counts what quotas are used, and has them say so', async () => {
    const replica = await startReplica(etcd.endpoint, `--encryption-provider-config=${file}`);
    const hard = {
      configmaps: '9',
      'services.nodeports': '9',
      'requests.cpu': '9',
      'count/widgets.example.com': '9',
      'count/gadgets.example.com': '9',
    };
    try {
      const quota = { metadata: { name: 'q' }, spec: { hard } };
      const answer = await replica.call('POST', '/api/v1/namespaces/default/resourcequotas', { body: quota });
      assert.equal(answer.status, 201, answer.text);
    } finally {
      await replica.stop();
    }
    const key = 'core/resourcequotas/default/q';
    const used = { 'requests.cpu': '0', 'services.nodeports': '7', configmaps: '2', 'count/widgets.example.com': '1' };
    await put(key, (text) => JSON.stringify({ ...JSON.parse(text), status: { hard, used } }));
    const said =
      /quota-miscounted +\/registry\/core\/resourcequotas\/default\/q +of services.nodeports it says 7, and 1 is used/;
    const found = await tool('verify');
    assert.equal(found.code, 1);
    assert.match(found.text, said);
    const repaired = await tool('verify', '--repair');
    assert.equal(repaired.code, 0, repaired.text);
    assert.match(repaired.text, /, 1 findings, 1 repaired/);
    assert.deepEqual(JSON.parse(await textOf(key)).status, { hard, used: { ...used, 'services.nodeports': '1' } });
    assert.equal((await tool('verify')).code, 0);
  });

  it('goes on with a migration from its mark', async () => {
    writeFileSync(file, configuration(2, 1));
    const mark = path.join(folder, 'mark');
    // of another key, which is not there: the migration stands before it
    await put('core/secrets/default/one-more', () => 'orch:enc:aesgcm:v1:key9:lost');
    const first = await tool('migrate', '--rate=1000', `--mark=${mark}`, '-o', 'json');
    assert.equal(first.code, 1, first.errors);
    assert.equal(JSON.parse(readFileSync(mark, 'utf8')).after, '/registry/core/secrets/default/one');
    await put('core/secrets/default/one-more', () => undefined);
    const second = await tool('migrate', '--rate=1000', `--mark=${mark}`, '-o', 'json');
    assert.equal(second.code, 0, second.errors);
    assert.ok(JSON.parse(second.text).objects < JSON.parse(first.text).objects - 1);
    assert.equal(existsSync(mark), false);
    await put('core/secrets/default/one-more', () => 'orch:enc:aesgcm:v1:key9:lost');
    await tool('migrate', `--mark=${mark}`);
    writeFileSync(file, configuration(2));
    assert.match((await tool('migrate', `--mark=${mark}`)).errors, /is of a migration with another/);
  });

  it('tells what there is', async () => {
    const { code, text } = await tool('status', '-o', 'json');
    assert.equal(code, 0, text);
    const said = JSON.parse(text);
    assert.deepEqual([said.naming, said.prefix, said.members.length], ['orch', '/registry', 1]);
    assert.equal(said.members[0].leader, true);
    const secrets = said.resources.find(({ resource }: { resource: string }) => resource === 'core/secrets');
    assert.deepEqual(Object.keys(secrets.encryption), ['orch:enc:aesgcm:v1:key1:']);
    const maps = said.resources.find(({ resource }: { resource: string }) => resource === 'core/configmaps');
    assert.deepEqual(Object.keys(maps.versions), ['v1']);
    assert.match((await tool('status')).text, /^core\/secrets +\d+ +\d+ +v1 +orch:enc:aesgcm:v1:key1:$/m);
  });

  it('shows objects, and of secrets only what they are', async () => {
    const map = JSON.parse((await tool('get', 'core/configmaps/default/one')).text);
    assert.deepEqual(map.object.data, { a: 'b' });
    const secret = JSON.parse((await tool('get', '/registry/core/secrets/default/one')).text);
    assert.equal(secret.encrypted, true);
    assert.match(secret.object.data.it, /^\d+ bytes$/);
    assert.match(
      (await tool('list', 'core/secrets/default')).text,
      /^\/registry\/core\/secrets\/default\/one +\d+ +\d+ +yes$/m,
    );
    assert.equal((await tool('get', 'core/configmaps/default/none')).code, 2);
  });

  it('saves a snapshot that it has checked', async () => {
    const target = path.join(folder, 'backup.db');
    const { code, text, errors } = await tool('backup', target);
    assert.equal(code, 0, errors);
    assert.match(text, /^\d+ bytes in /);
    const manifest = JSON.parse(readFileSync(`${target}.json`, 'utf8'));
    assert.equal(manifest.bytes, readFileSync(target).length);
    assert.equal(existsSync(`${target}.part`), false);
  });

  it('replaces a snapshot only where a flag asks for it', async () => {
    const target = path.join(folder, 'kept.db');
    writeFileSync(target, 'another one');
    const refused = await tool('backup', target);
    assert.equal(refused.code, 2);
    assert.match(refused.errors, /kept\.db is there already: choose another name, or replace it with --overwrite/);
    assert.equal(readFileSync(target, 'utf8'), 'another one');
    assert.equal((await tool('backup', target, '--overwrite')).code, 0);
    assert.notEqual(readFileSync(target, 'utf8'), 'another one');
  });

  it('says which build it is', async () => {
    const { code, text } = await tool('--version');
    assert.equal(code, 0);
    assert.match(text, /^orch-storage \S+, release 1\.\d+\.\d+, commit \S+\n$/);
  });

  describe('restore-check', () => {
    const found = process.env['PATH'];
    let snapshot: string;
    before(() => {
      const tools = [findEtcd(), ensureTool('etcdctl', 'etcd-client')].map((tool) => path.dirname(tool));
      process.env['PATH'] = [...tools, found].join(path.delimiter);
    });
    beforeEach(async () => {
      snapshot = path.join(folder, 'backup.db');
      process.env['TMPDIR'] = mkdtempSync(path.join(folder, 'tmp-'));
    });
    afterEach(() => {
      const left = readdirSync(process.env['TMPDIR']!);
      delete process.env['TMPDIR'];
      assert.deepEqual(left, []);
    });
    after(() => {
      process.env['PATH'] = found;
    });

    it('restores a snapshot aside, verifies it, and has a replica ready on it', async () => {
      await tool('backup', snapshot, '--overwrite');
      const { code, text, errors } = await built('restore-check', snapshot);
      assert.equal(code, 0, text + errors);
      assert.match(
        text,
        /^manifest: saved at .*\nrestore: by .*\netcd: .*\nverify: \d+ objects, 0 findings.*\nreplica: ready\n$/,
      );
    });

    it('tells damage in what is restored, a replica that does not start, and a damaged snapshot', async () => {
      await put('core/configmaps/default/half', () => '{');
      await tool('backup', snapshot, '--overwrite');
      const ends = await built('restore-check', snapshot, '-o', 'json', '--', '--authorization-mode=Nonsense');
      assert.equal(ends.code, 1, ends.errors);
      const { steps, verified } = JSON.parse(ends.text);
      assert.deepEqual(
        steps.map(({ step, fine }: { step: string; fine: boolean }) => `${step} ${fine}`),
        ['manifest true', 'restore true', 'etcd true', 'verify false', 'replica false'],
      );
      assert.match(steps[4].said, /it has ended\n[\s\S]*Nonsense/);
      assert.deepEqual(
        verified.findings.map(({ damage }: Finding) => damage),
        ['not-an-object'],
      );
      const bytes = readFileSync(snapshot);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(snapshot, bytes);
      const other = await tool('restore-check', snapshot);
      assert.equal(other.code, 1);
      assert.match(other.text, /^manifest: FAILED: the snapshot is not the one/);
      rmSync(`${snapshot}.json`);
      const damaged = await tool('restore-check', snapshot);
      assert.equal(damaged.code, 1);
      assert.match(damaged.text, /^manifest: there is none\nrestore: FAILED: .*sha256/);
    });

    it('leaves nothing when it is interrupted', async () => {
      await tool('backup', snapshot, '--overwrite');
      const { main, environment } = programToTest('storage/main');
      const child = spawn(process.execPath, [main, 'restore-check', snapshot], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...environment },
      });
      let errors = '';
      child.stderr.on('data', (some) => (errors += some));
      const exited = once(child, 'exit');
      const giveUpAt = Date.now() + 60_000;
      const scratch = () => readdirSync(process.env['TMPDIR']!)[0];
      const log = () => path.join(process.env['TMPDIR']!, scratch() ?? '', 'etcd.log');
      while (!existsSync(log())) {
        assert.ok(Date.now() < giveUpAt && child.exitCode === null, errors);
        await sleep(10);
      }
      const name = scratch()!;
      child.kill('SIGINT');
      assert.deepEqual(await exited, [2, null]);
      assert.match(errors, /interrupted by SIGINT/);
      const commands = readdirSync('/proc').map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          return '';
        }
      });
      assert.deepEqual(
        commands.filter((command) => command.includes(name)),
        [],
      );
    });

    it('raises the revision of a snapshot, and leaves everything else as it was', async () => {
      await tool('backup', snapshot, '--overwrite');
      const { atLeastRevision: before } = JSON.parse(readFileSync(`${snapshot}.json`, 'utf8'));
      const raised = path.join(folder, 'raised.db');
      const wanted = before + 3000;
      const { code, text, errors } = await tool('raise', snapshot, String(wanted), raised);
      assert.equal(code, 0, text + errors);
      assert.ok(JSON.parse(readFileSync(`${raised}.json`, 'utf8')).atLeastRevision > wanted);
      const checked = await built('restore-check', raised);
      assert.equal(checked.code, 0, checked.text + checked.errors);
      const own = await tool('verify');
      assert.equal(checked.text.includes(own.text.trim()), true, checked.text + own.text);
      for (const [revision, message] of [
        [before, /is not higher/],
        [before + 1e8, /would take hours/],
        ['x', /needs a snapshot, a revision/],
      ] as const) {
        const refused = await tool('raise', snapshot, String(revision), path.join(folder, 'refused.db'));
        assert.equal(refused.code, 2);
        assert.match(refused.errors, message);
      }
    });

    it('takes a copy of a database, which has no checksum', async () => {
      await tool('backup', snapshot, '--overwrite');
      writeFileSync(snapshot, readFileSync(snapshot).subarray(0, -32));
      rmSync(`${snapshot}.json`);
      const { code, text, errors } = await built('restore-check', snapshot);
      assert.equal(code, 0, text + errors);
      assert.match(text, /^restore: by etcd\w+; it is a copy of a database, without a checksum$/m);
    });

    it('says what is missing', async () => {
      assert.match((await tool('restore-check', snapshot)).errors, /there is no snapshot/);
      writeFileSync(snapshot, '');
      const all = process.env['PATH'];
      try {
        process.env['PATH'] = '';
        const { code, errors } = await tool('restore-check', snapshot);
        assert.equal(code, 2);
        assert.match(errors, /needs etcd on PATH/);
      } finally {
        process.env['PATH'] = all;
      }
    });
  });

  it('drops history and gives room back', async () => {
    const { revision } = JSON.parse((await tool('compact', '-o', 'json')).text);
    assert.equal(await raw.oldestRevision(), revision);
    const defragged = await tool('defrag', '-o', 'json');
    assert.equal(JSON.parse(defragged.text)[0].address, etcd.endpoint);
  });

  const wrong: readonly [words: string[], message: RegExp][] = [
    [['verfy'], /there is no command verfy: see --help/],
    [['get'], /get needs a key/],
    [['verify', '--fix'], /Unknown option '--fix'/],
    [['verify', '-o', 'xml'], /--output must be text or json/],
    [['verify', '--naming=kubernetes'], /was written with --naming=orch/],
    [['verify', '--etcd-prefix=/other'], /no data of API servers under \/other/],
    [['backup'], /backup needs the name of a file/],
    [['compact', 'x'], /compact needs a revision/],
    [['restore-check'], /restore-check needs the name of a snapshot/],
    [['restore-check', 'x', '--', '--etcd-servers=http://192.0.2.1:2379'], /is given by restore-check itself/],
    [['restore-check', 'x', '--', '--etcd_servers_overrides', '/events#http://192.0.2.1:2379'], /is given by/],
  ];
  it('says what is wrong with a command line, and ends with 2', async () => {
    for (const [words, message] of wrong) {
      const { code, errors } = await tool(...words);
      assert.equal(code, 2, words.join(' '));
      assert.match(errors, message);
    }
    const { code, text } = await tool('--help');
    assert.equal(code, 0);
    assert.match(text, /verify +look for damage/);
  });
});
