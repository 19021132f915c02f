import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CustomObjectsApi, KubeConfig, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { findTool } from '#scripts/ensure-tool.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type ConversionWebhook, startConversionWebhook } from '../conversion-webhook.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { convertedDefinition, convertPipeline, deepDefinition, GROUP, openDefinition } from './large-definitions.ts';

const run = promisify(execFile);

interface Database extends KubernetesObject {
  readonly spec?: { readonly size?: number };
}

describe('large custom resource definitions of operators with unmodified upstream clients', function () {
  this.timeout(300_000);
  const naming = createNaming('kubernetes');
  const pki = temporaryPki('kubernetes');
  const connection = pki.file('admin.conf');
  const stops: (() => Promise<unknown>)[] = [];
  let replica: Replica;
  let webhook: ConversionWebhook;

  before(async () => {
    const etcd = await EtcdProcess.start();
    stops.push(() => etcd.stop());
    webhook = await startConversionWebhook(pki, { convert: convertPipeline });
    stops.push(() => webhook.stop());
    replica = await startReplica(pki, etcd.endpoint, { profile: 'kubernetes' });
    stops.push(() => replica.stop());
    writeConnectionFile(connection, naming.product, {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  describe('with the command line', () => {
    const kubectl = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await run('kubectl', [`--kubeconfig=${connection}`, ...args], {
        env: { ...process.env, HOME: pki.directory },
        maxBuffer: 64 * 2 ** 20,
      });
      return stdout + stderr;
    };
    const file = (name: string, ...objects: JsonObject[]): string => {
      const place = pki.file(`${name}.json`);
      writeFileSync(place, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      return place;
    };
    const database = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'Database',
      metadata: { name, namespace: 'default' },
      spec,
    });

    // Not every machine has this program.
    before(function () {
      if (findTool('kubectl') === undefined) this.skip();
    });

    it('are applied, and the client waits for them', async () => {
      const { url, caBundle } = webhook;
      const definitions = [
        deepDefinition(naming),
        convertedDefinition(naming, { url, caBundle }),
        openDefinition(naming),
      ];
      assert.ok(JSON.stringify(definitions[0]).length > 60_000, 'as large as they are');
      const place = file('definitions', ...definitions);
      assert.match(
        await kubectl('apply', '--server-side', '-f', place),
        /meshes\.stores\.example\.com serverside-applied/,
      );
      const waited = await kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', place);
      assert.equal(waited.match(/condition met/g)?.length, 3, waited);
      assert.match(
        await kubectl('apply', '--server-side', '-f', place),
        /databases\.stores\.example\.com serverside-applied/,
      );
    });

    it('are found by all their names', async () => {
      const listed = await kubectl('api-resources', `--api-group=${GROUP}`, '--no-headers');
      assert.deepEqual(
        listed
          .trim()
          .split('\n')
          .map((line) => line.split(/ +/)),
        [
          ['databases', 'db', `${GROUP}/v1`, 'true', 'Database'],
          ['meshes', `${GROUP}/v1`, 'false', 'Mesh'],
          ['pipelines', 'pl', `${GROUP}/v1`, 'true', 'Pipeline'],
        ],
      );
      assert.match(await kubectl('get', 'db,pl,mesh'), /No resources found/);
    });

    it('are explained ten levels deep', async () => {
      const explained = await kubectl('explain', 'databases', '--recursive');
      const deepest = explained
        .split('\n')
        .filter((line) => /^ +inner\t/.test(line))
        .at(-1)!;
      assert.ok((/^ */.exec(deepest)?.[0].length ?? 0) >= 2 * 10, explained.slice(0, 2000));
      const below = Array.from({ length: 10 }, () => 'inner').join('.');
      assert.match(await kubectl('explain', `database.spec.settings.${below}.limit`), /The limit at level 0/);
      assert.match(await kubectl('explain', 'db.spec.members.name'), /What it is called/);
    });

    it('have objects that are applied on either side and shown in columns', async () => {
      const place = file('objects', database('one', { members: [{ name: 'a' }] }), database('two', { size: 5 }));
      assert.match(await kubectl('apply', '-f', place), /database\.stores\.example\.com\/one created/);
      assert.match(await kubectl('apply', '-f', place), /database\.stores\.example\.com\/two unchanged/);
      // This apply is server-side, because the next manager would otherwise become the owner of the fields of a
      // client-side apply.
      for (const [manager, member] of [
        ['mine', { name: 'a' }],
        ['other', { name: 'b', weight: 2 }],
      ] as const) {
        const three = file(manager, database('three', { members: [member] }));
        await kubectl('apply', '--server-side', `--field-manager=${manager}`, '-f', three);
      }
      const members = await kubectl('get', 'db/three', '-o', 'jsonpath={range .spec.members[*]}{.name}{.weight} {end}');
      assert.deepEqual(members.trim().split(' '), ['a1', 'b2']);
      const shown = await kubectl('get', 'db', '-o', 'wide');
      assert.match(shown, /^NAME +SIZE +PHASE +FIRST +AGE\none +3 +a +\S+\nthree +3 +a +\S+\ntwo +5 +/);
    });

    it('refuse objects that break their rules, on either side', async () => {
      const many = file('many', database('many', { size: 1, members: [{ name: 'a' }, { name: 'b' }] }));
      await assert.rejects(kubectl('apply', '-f', many), /more members than there are/);
      const unknown = file('unknown', database('unknown', { sise: 1 }));
      await assert.rejects(kubectl('apply', '-f', unknown), /unknown field "(spec\.)?sise"/);
    });

    it('are scaled, and read in another version than the stored one', async () => {
      const pipeline = {
        apiVersion: `${GROUP}/v1beta1`,
        kind: 'Pipeline',
        metadata: { name: 'p', namespace: 'default' },
        spec: { workers: 2 },
      };
      assert.match(await kubectl('apply', '-f', file('pipeline', pipeline)), /deprecated/);
      assert.equal(await kubectl('get', 'pl', 'p', '-o', 'jsonpath={.spec}'), '{"replicas":2}');
      await kubectl('scale', 'pipeline/p', '--replicas=4');
      assert.match(await kubectl('get', `pipelines.v1beta1.${GROUP}`, 'p', '-o', 'jsonpath={.spec}'), /^{"workers":4}/);
      await kubectl('patch', 'pl', 'p', '--type=merge', '-p', '{"spec":{"replicas":1}}');
      assert.match(await kubectl('get', 'pl'), /^NAME +WANTED\np +1\n/);
    });

    it('are deleted with all their objects', async () => {
      assert.match(await kubectl('delete', 'crd', `databases.${GROUP}`, '--timeout=60s'), /deleted/);
      await assert.rejects(
        kubectl('get', 'databases'),
        /could not find the requested resource|doesn't have a resource type/,
      );
    });
  });

  describe('with a client library', () => {
    it('are followed by informers', async () => {
      const config = new KubeConfig();
      config.loadFromFile(connection);
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
      await replica.request('DELETE', `${path}/databases.${GROUP}`);
      await until(async () => (await replica.request('GET', `${path}/databases.${GROUP}`)).status === 404);
      assert.equal((await replica.request('POST', path, deepDefinition(naming))).status, 201);
      const custom = config.makeApiClient(CustomObjectsApi);
      const place = { group: GROUP, version: 'v1', namespace: 'default', plural: 'databases' };
      const listing = () => custom.listNamespacedCustomObject(place);
      const target = `/apis/${GROUP}/v1/namespaces/default/databases`;
      const informer = makeInformer<Database>(config, target, listing);
      const told: string[] = [];
      for (const event of ['add', 'update', 'delete'] as const)
        informer.on(event, ({ metadata, spec }) => told.push(`${event} ${metadata?.name} ${spec?.size}`));
      const create = (name: string, size?: number) =>
        custom.createNamespacedCustomObject({
          ...place,
          body: { apiVersion: `${GROUP}/v1`, kind: 'Database', metadata: { name }, spec: { size } },
        });
      await create('first');
      await informer.start();
      try {
        await create('second', 2);
        await until(() => told.length === 2);
        const patch = [{ op: 'replace', path: '/spec/size', value: 7 }];
        await custom.patchNamespacedCustomObject({ ...place, name: 'first', body: patch });
        await until(() => told.length === 3);
        await custom.deleteNamespacedCustomObject({ ...place, name: 'second' });
        await until(() => told.length === 4);
        assert.deepEqual(told, ['add first 3', 'add second 2', 'update first 7', 'delete second 2']);
        assert.equal(informer.get('first', 'default')?.spec?.size, 7);
      } finally {
        await informer.stop();
      }
    });
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    assert.ok(tries < 600, 'not so within 60 s');
    await sleep(100);
  }
}
