import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { run } from './run.ts';

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const DEFINITION = '/registry/apiextensions/customresourcedefinitions/widgets.example.com';
const NAMES = ['a', 'b', 'c'];

interface Widget {
  apiVersion: string;
  metadata: object;
  spec: { old?: string; now?: string; size?: number };
}

describe('orch-storage migrate of custom resources to a new storage version', function () {
  this.timeout(120_000);
  let folder: string;
  let etcd: EtcdProcess;
  let raw: DataStore;
  let replica: TestReplica;
  let stopWebhook: (() => void) | undefined;
  /** Called for each request of the webhook, before its answer. */
  let asked: (widgets: readonly Widget[]) => Promise<void>;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'migrate-custom-'));
    asked = async () => {};
    etcd = await EtcdProcess.start();
    raw = createEtcdStore({ endpoints: [etcd.endpoint] });
    replica = await startReplica(etcd.endpoint);
  });

  afterEach(async () => {
    stopWebhook?.();
    stopWebhook = undefined;
    await replica.stop();
    await raw.close();
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  async function tool(...words: string[]) {
    let text = '';
    let errors = '';
    const code = await run([`--etcd-servers=${etcd.endpoint}`, '--rate=1000', ...words], {
      out: { write: (some: string) => (text += some) },
      err: { write: (some: string) => (errors += some) },
    });
    return { code, text, errors };
  }

  async function migrated(...words: string[]) {
    const { code, text, errors } = await tool('migrate', '-o', 'json', ...words);
    assert.equal(errors, '');
    const { written, changedMeanwhile, left, obsolete } = JSON.parse(text);
    return { code, written, changedMeanwhile, left, obsolete };
  }

  /**
   * Starts a webhook that renames the field `old` to `now` in the other version. Returns the part of a definition that
   * names it.
   */
  async function startWebhook(at: 'URL' | 'service' = 'URL'): Promise<object> {
    const authority = makeAuthority('converter-ca');
    const own = makeCertificate({
      subject: [[CN, 'converter']],
      by: authority,
      usages: [SERVER_AUTH],
      hosts: ['converter.default.svc'],
      ips: ['127.0.0.1'],
    });
    const server = https.createServer({ cert: own.pem, key: own.keyPem }, async (request, response) => {
      const {
        kind,
        apiVersion,
        request: question,
      } = (await readJson(request)) as {
        kind: string;
        apiVersion: string;
        request: { uid: string; desiredAPIVersion: string; objects: Widget[] };
      };
      await asked(question.objects);
      const convertedObjects = question.objects.map(({ spec: { old, now, ...spec }, ...widget }) => ({
        ...widget,
        apiVersion: question.desiredAPIVersion,
        spec: question.desiredAPIVersion === 'example.com/v2' ? { ...spec, now: old } : { ...spec, old: now },
      }));
      const answer = { uid: question.uid, result: { status: 'Success' }, convertedObjects };
      response.end(JSON.stringify({ kind, apiVersion, response: answer }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stopWebhook = () => {
      server.close();
      server.closeAllConnections();
    };
    const { port } = server.address() as AddressInfo;
    const reached =
      at === 'URL'
        ? { url: `https://127.0.0.1:${port}/` }
        : { service: { namespace: 'default', name: 'converter', port, path: '/convert' } };
    if (at === 'service') {
      const spec = { type: 'ExternalName', externalName: 'localhost' };
      const body = { metadata: { name: 'converter' }, spec };
      const made = await replica.call('POST', '/api/v1/namespaces/default/services', { body });
      assert.equal(made.status, 201, made.text);
    }
    const clientConfig = { ...reached, caBundle: Buffer.from(authority.pem).toString('base64') };
    return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  }

  const version = (name: string, storage: boolean, fields: object) => {
    const spec = { type: 'object', properties: fields };
    return {
      name,
      storage,
      served: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    };
  };
  const colour = (name: string) => ({ colour: { type: 'string', default: name } });
  const definition = (conversion: object | undefined, stored: 'v1' | 'v2') => ({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      ...(conversion && { conversion }),
      versions: [
        version('v1', stored === 'v1', { old: { type: 'string' }, ...(stored === 'v2' && colour('red')) }),
        version('v2', stored === 'v2', {
          now: { type: 'string' },
          ...colour('blue'),
          size: { type: 'integer', default: 1 },
        }),
      ],
    },
  });

  /** Writes widgets that are stored as v1, while their definition now says v2. */
  async function fill(conversion?: object): Promise<void> {
    const made = await replica.call('POST', DEFINITIONS, { body: definition(conversion, 'v1') });
    assert.equal(made.status, 201, made.text);
    const giveUpAt = Date.now() + 30_000;
    for (const name of NAMES) {
      const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { old: name } };
      while ((await replica.call('POST', target('v1'), { body })).status !== 201) assert.ok(Date.now() < giveUpAt);
    }
    await store('v2');
    const map = { metadata: { name: 'one' } };
    assert.equal((await replica.call('POST', '/api/v1/namespaces/default/configmaps', { body: map })).status, 201);
  }

  async function store(stored: 'v1' | 'v2'): Promise<void> {
    const { json } = await replica.call('GET', `${DEFINITIONS}/widgets.example.com`);
    const { spec } = definition(json.spec.conversion, stored);
    const put = await replica.call('PUT', `${DEFINITIONS}/widgets.example.com`, { body: { ...json, spec } });
    assert.equal(put.status, 200, put.text);
  }

  const target = (version: string, name = '') =>
    `/apis/example.com/${version}/namespaces/default/widgets${name === '' ? '' : `/${name}`}`;
  const keyOf = (name: string) => `/registry/example.com/widgets/default/${name}`;

  async function stored(): Promise<Widget[]> {
    const values = await Promise.all(NAMES.map((name) => raw.get(keyOf(name))));
    return values.map((value) => JSON.parse(value!.value.toString()));
  }

  /** An update without changes writes nothing: the object has the same stored form as with a replica. */
  async function isAsReplicasWrite(): Promise<void> {
    for (const name of NAMES) {
      const before = await raw.get(keyOf(name));
      const { json } = await replica.call('GET', target('v2', name));
      assert.equal((await replica.call('PUT', target('v2', name), { body: json })).status, 200);
      assert.deepEqual(await raw.get(keyOf(name)), before);
    }
  }

  const obsolete = [{ definition: 'widgets.example.com', gone: ['v1'], storedVersions: ['v2'] }];

  it('converts without a webhook, changes nothing else, and lists versions that are no longer stored', async () => {
    await fill();
    const map = await raw.get('/registry/core/configmaps/default/one');
    assert.deepEqual(await migrated('--dry-run'), { code: 0, written: 3, changedMeanwhile: 0, left: [], obsolete: [] });
    assert.deepEqual(await migrated('core/'), { code: 0, written: 0, changedMeanwhile: 0, left: [], obsolete: [] });
    assert.deepEqual(await migrated(), { code: 0, written: 3, changedMeanwhile: 0, left: [], obsolete });
    assert.deepEqual(await raw.get('/registry/core/configmaps/default/one'), map);
    for (const { apiVersion, spec } of await stored())
      assert.deepEqual([apiVersion, spec], ['example.com/v2', { colour: 'red', size: 1 }]);
    await isAsReplicasWrite();
    assert.match(
      (await tool('migrate')).text,
      /^widgets\.example\.com: nothing is stored as v1 any more; status\.storedVersions may become \["v2"\]\n\d+ objects, 0 written,/,
    );
    const body = { status: { storedVersions: ['v2'] } };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const told = await replica.call('PATCH', `${DEFINITIONS}/widgets.example.com/status`, { body, headers });
    assert.deepEqual(told.json.status.storedVersions, ['v2']);
    assert.deepEqual((await migrated()).obsolete, []);
  });

  for (const at of ['URL', 'service'] as const)
    it(`converts with the webhook that the definition names by its ${at}`, async () => {
      await fill(await startWebhook(at));
      assert.deepEqual(await migrated('example.com/widgets/'), {
        code: 0,
        written: 3,
        changedMeanwhile: 0,
        left: [],
        obsolete,
      });
      assert.deepEqual(
        (await stored()).map(({ apiVersion, spec }) => [apiVersion, spec]),
        NAMES.map((name) => ['example.com/v2', { colour: 'red', now: name, size: 1 }]),
      );
      await isAsReplicasWrite();
    });

  it('does not overwrite objects that change during the migration', async () => {
    await fill(await startWebhook());
    asked = async ([widget]) => {
      asked = async () => {};
      const { name } = widget!.metadata as { name: string };
      const { revision } = (await raw.get(keyOf(name)))!;
      await raw.update(keyOf(name), revision, Buffer.from(JSON.stringify({ ...widget, apiVersion: 'example.com/v2' })));
    };
    assert.deepEqual(await migrated(), { code: 0, written: 2, changedMeanwhile: 1, left: [], obsolete });
    assert.deepEqual((await stored())[0]!.spec, { colour: 'red', old: 'a' });
  });

  it('stops if the definition changes or its webhook fails, and continues from there', async () => {
    await fill(await startWebhook());
    const mark = path.join(folder, 'mark');
    let calls = 0;
    asked = async () => {
      if (++calls !== 2) return;
      const { revision, value } = (await raw.get(DEFINITION))!;
      await raw.update(DEFINITION, revision, value);
    };
    const changed = `its definition widgets.example.com has changed meanwhile: begin again`;
    const first = await migrated(`--mark=${mark}`);
    const problems = (result: { left: { key: string; problem: string }[] }) =>
      result.left.map(({ key, problem }) => [key, problem]);
    assert.deepEqual([first.code, first.written, first.obsolete], [1, 1, []]);
    assert.deepEqual(problems(first), [
      [keyOf('b'), changed],
      [keyOf('c'), changed],
    ]);
    stopWebhook!();
    const second = await migrated(`--mark=${mark}`);
    assert.deepEqual([second.code, second.written, second.obsolete], [1, 0, []]);
    assert.match(
      second.left[0].problem,
      /^it cannot be converted: conversion webhook for example\.com\/v1, Kind=Widget failed: /,
    );
    assert.ok(existsSync(mark));
    const { json } = await replica.call('GET', `${DEFINITIONS}/widgets.example.com`);
    const none = { ...json, spec: { ...json.spec, conversion: { strategy: 'None' } } };
    assert.equal((await replica.call('PUT', `${DEFINITIONS}/widgets.example.com`, { body: none })).status, 200);
    assert.deepEqual(await migrated(`--mark=${mark}`), {
      code: 0,
      written: 2,
      changedMeanwhile: 0,
      left: [],
      obsolete,
    });
    assert.equal(existsSync(mark), false);
  });

  it('refuses a mark of a migration to another storage version', async () => {
    await fill();
    const mark = path.join(folder, 'mark');
    await raw.create('/registry/core/secrets/default/sealed', Buffer.from('orch:enc:aesgcm:v1:key9:lost'));
    assert.equal((await migrated(`--mark=${mark}`)).code, 1);
    await store('v1');
    assert.match((await tool('migrate', `--mark=${mark}`)).errors, /is of a migration with another/);
  });
});
