import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { Discovery } from '#client/discovery/discovery.ts';
import { ApiError } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { programToTest } from '#scripts/programs.ts';

/** A cluster in a separate process, with a client of its administrator. */
interface Started {
  readonly process: ChildProcess;
  readonly url: string;
  readonly client: ConnectedClient;
  /** Ends it as Ctrl-C does. Resolves to its exit status. */
  end(): Promise<number | null>;
}

const DEFINITION = `
apiVersion: ${createNaming('kubernetes').apiVersion('apiextensions', 'v1')}
kind: CustomResourceDefinition
metadata: {name: gizmos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gizmos, singular: gizmo, kind: Gizmo, listKind: GizmoList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`;
const OBJECTS = `
apiVersion: example.com/v1
kind: Gizmo
metadata: {name: first, namespace: shop}
spec: {size: 3}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
`;

describe('orch-dev', function () {
  this.timeout(60_000);
  let folder: string;
  let temporary: string;
  const running: Started[] = [];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dev-test-'));
    temporary = mkdtempSync(path.join(tmpdir(), 'dev-test-'));
  });

  afterEach(async () => {
    for (const one of running.splice(0)) await one.end();
    rmSync(folder, { recursive: true });
    rmSync(temporary, { recursive: true });
  });

  function launch(...flags: string[]): ChildProcess {
    const { main, environment } = programToTest('dev/main');
    return spawn(process.execPath, [main, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, TMPDIR: temporary },
    });
  }

  async function start(...flags: string[]): Promise<Started> {
    const file = path.join(folder, 'connection');
    const child = launch(`--kubeconfig=${file}`, ...flags);
    const complaint = readAll(child.stderr!);
    const [line] = (await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])) as [Buffer | number];
    if (!Buffer.isBuffer(line)) throw new Error(await complaint);
    const { url, kubeconfig } = JSON.parse(line.toString()) as { url: string; kubeconfig: string };
    assert.equal(kubeconfig, file);
    const client = await connect(chooseConnection(readConnectionFiles([file])));
    const end = async () => {
      await client.close();
      if (child.exitCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGINT');
        await exited;
      }
      return child.exitCode;
    };
    const started = { process: child, url, client, end };
    running.push(started);
    return started;
  }

  it('starts a cluster with controllers and leaves no files or processes', async () => {
    const { client, end } = await start();
    const namespaces = client.resource(coreV1.namespaces);
    await namespaces.create({ metadata: { name: 'shop' } });
    const accounts = client.resource(coreV1.serviceaccounts).in('shop');
    for (let tries = 0; (await accounts.list()).items.length === 0; tries++) {
      assert.ok(tries < 200, 'no controller made the default account');
      await sleep(50);
    }
    await client
      .resource(coreV1.configmaps)
      .in('shop')
      .create({ metadata: { name: 'a' } });
    await namespaces.delete('shop');
    const isGone = (error: unknown) => error instanceof ApiError && error.code === 404;
    for (let tries = 0; ; tries++) {
      const gone = await namespaces.get('shop').then(() => false, isGone);
      if (gone) break;
      assert.ok(tries < 400, 'the namespace stays');
      await sleep(50);
    }
    assert.notDeepEqual(readdirSync(temporary), []);
    assert.equal(await end(), 0);
    assert.deepEqual(readdirSync(temporary), []);
  });

  it('uses the upstream naming, loads manifests, and keeps objects and certificates in a folder', async () => {
    writeFileSync(path.join(folder, '1-objects.yaml'), OBJECTS);
    writeFileSync(path.join(folder, '2-definition.yaml'), DEFINITION);
    const data = path.join(folder, 'data');
    const { client, end } = await start('--naming=kubernetes', `--definitions=${folder}`, `--data=${data}`);
    assert.equal(client.naming.profile, 'kubernetes');
    const type = (await new Discovery(client).get()).ofKind('example.com/v1', 'Gizmo');
    const found = await client.resource(type!).in('shop').get('first');
    assert.deepEqual((found as unknown as { spec: unknown }).spec, { size: 3 });

    const maps = (of: ConnectedClient) => of.resource(coreV1.configmaps).in('default');
    const { metadata } = await maps(client).create({ metadata: { name: 'kept' } });
    assert.equal(await end(), 0);
    assert.ok(existsSync(path.join(data, 'store')));
    const again = await start('--naming=kubernetes', `--data=${data}`);
    assert.equal((await maps(again.client).get('kept')).metadata.uid, metadata.uid);
  });

  for (const [when, reached] of [
    ...[50, 150, 300, 600].map((delay) => [`${delay} ms after its start`, () => sleep(delay)] as const),
    [
      'as soon as it has files',
      async (files: string) => {
        while (!existsSync(files) || readdirSync(files).length === 0) await sleep(5);
      },
    ],
  ] as const)
    for (const where of ['in memory', 'in a folder'])
      it(`leaves no files or processes after Ctrl-C ${when}, ${where}`, async () => {
        const data = path.join(folder, 'data');
        const flags = where === 'in memory' ? [] : [`--data=${data}`];
        const child = launch(...flags);
        const said = Promise.all([readAll(child.stdout!), readAll(child.stderr!)]);
        const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
        await reached(where === 'in memory' ? temporary : data);
        child.kill('SIGINT');
        const [status, signal] = await exited;
        // The signal ends a process that has not loaded the program.
        if (signal !== 'SIGINT') assert.equal(status, 0);
        const [line, complaint] = await said;
        assert.equal(complaint, '');
        assert.match(line, /^({"url":[^\n]*}\n)?$/);
        assert.deepEqual(readdirSync(temporary), []);
        const kept = existsSync(data) ? readdirSync(data) : [];
        assert.deepEqual(
          kept.filter((name) => name !== 'certificates' && name !== 'store'),
          [],
        );
        if (kept.length > 0) assert.equal(await (await start(...flags)).end(), 0);
      });

  it('refuses a store of an older layout in one line, and changes nothing', async () => {
    const data = path.join(folder, 'data');
    const { end } = await start(`--data=${data}`);
    await end();
    const file = path.join(data, 'store');
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 0');
    db.close();
    const before = readFileSync(file);
    const child = launch(`--data=${data}`);
    const said = readAll(child.stderr!);
    const [status] = await once(child, 'exit');
    assert.equal(status, 1);
    assert.match(await said, /^orch-dev: \S+store has layout 0, and this release knows layouts from 1 on: [^\n]+\n$/);
    assert.deepEqual(readdirSync(data).sort(), ['certificates', 'store']);
    assert.ok(readFileSync(file).equals(before));
  });

  for (const [what, flags, message] of [
    ['a folder of definitions that does not exist', ['--definitions=/none'], /cannot read the folder of --definitions/],
    ['an unknown naming', ['--naming=other'], /naming/],
    ['an invalid port', ['--port=70000'], /between 0 and 65535/],
    [
      'a connection file that cannot be written',
      ['--kubeconfig=/none/x'],
      /cannot write the file of --kubeconfig: ENOENT/,
    ],
    ['a folder without a name', ['--data='], /--data needs a folder/],
    ['a file in place of a folder', ['--data=/dev/null'], /cannot use \/dev\/null: EEXIST/],
    ['a folder in a file', ['--data=/dev/null/below'], /cannot use \/dev\/null\/below: EEXIST/],
    ['a folder where none can be', ['--data=/proc/none'], /cannot use \/proc\/none: (ENOENT|EACCES)/],
    ['a folder below one that cannot be', ['--data=/proc/none/below'], /cannot use \/proc\/none\/below: /],
    ['a folder that cannot be written', ['--data=/sys/none'], /cannot use \/sys\/none: (EPERM|EACCES|EROFS|ENOENT)/],
    ['a path that is too long', [`--data=/tmp/${'x'.repeat(300)}`], /cannot use \/tmp\/x+: ENAMETOOLONG/],
    ['a folder of assets where none can be', ['envtest-assets', '/proc/none/below'], /cannot write the assets: /],
    ['an address of another machine', ['--bind-address=192.0.2.9'], /cannot listen on 192\.0\.2\.9: /],
    ['an invalid host name', ['--hosts=a_b'], /--hosts: "a_b" is no name or address/],
  ] as const) {
    it(`refuses ${what} and leaves no files or processes`, async () => {
      const child = launch(...flags);
      const said = readAll(child.stderr!);
      const [status] = await once(child, 'exit');
      assert.equal(status, 1);
      assert.match(await said, message);
      assert.equal((await said).trimEnd().split('\n').length, 1);
      assert.deepEqual(readdirSync(temporary), []);
    });
  }

  it('refuses invalid manifests and names their file', async () => {
    writeFileSync(path.join(folder, 'wrong.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: NOT A NAME}\n');
    const child = launch(`--definitions=${folder}`);
    const said = readAll(child.stderr!);
    const [status] = await once(child, 'exit');
    assert.equal(status, 1);
    assert.match(await said, /wrong\.yaml: Namespace NOT A NAME: /);
    assert.deepEqual(readdirSync(temporary), []);
  });
});
