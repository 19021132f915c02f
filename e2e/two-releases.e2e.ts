import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Build, changedBuild, type SourceChange } from './changed-build.ts';
import { Clients } from './drills/clients.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';
import { damageIn, storageTool } from './storage-tool.ts';

/** The changes of a future release. Two kinds have another storage version, and one has a new field. */
const NEXT: readonly SourceChange[] = [
  {
    file: 'proto/storage.v1beta1.proto',
    from: 'plural: "csistoragecapacities" namespaced: true\n    storage: { version: "v1" }',
    to: 'plural: "csistoragecapacities" namespaced: true',
  },
  {
    file: 'proto/storage.v1.proto',
    from: 'plural: "csistoragecapacities" namespaced: true',
    to: 'plural: "csistoragecapacities" namespaced: true\n    storage: { version: "v1beta1" }',
  },
  {
    file: 'proto/flowcontrol.apiserver.v1beta1.proto',
    from: 'plural: "flowschemas"\n    storage: { version: "v1beta2" }',
    to: 'plural: "flowschemas"',
  },
  {
    file: 'proto/flowcontrol.apiserver.v1beta2.proto',
    from: 'plural: "flowschemas"',
    to: 'plural: "flowschemas"\n    storage: { version: "v1beta1" }',
  },
  {
    file: 'proto/core.v1.proto',
    from: '  map<string, bytes> binaryData = 3;\n',
    to: '  map<string, bytes> binaryData = 3;\n  optional string audience = 99 [(default) = "all", (default_unpublished) = true];\n',
  },
];

const CAPACITIES = 'namespaces/default/csistoragecapacities';
const V1 = `/apis/storage.orch.io/v1/${CAPACITIES}`;
const V1BETA1 = `/apis/storage.orch.io/v1beta1/${CAPACITIES}`;
const SCHEMAS = '/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas';
const MAPS = '/api/v1/namespaces/default/configmaps';

describe('two releases with different storage versions', function () {
  this.timeout(240_000);
  const pki = temporaryPki();
  let etcd: EtcdProcess;
  let build: Build;
  let present: Replica;
  let next: Replica;
  let proxy: RoundRobin;
  let clients: Clients;

  before(async () => {
    build = await changedBuild(...NEXT);
    etcd = await EtcdProcess.start();
    present = await startReplica(pki, etcd.endpoint);
  });

  after(async () => {
    await clients?.stop();
    await proxy?.stop();
    await Promise.all([present?.stop(), next?.stop()]);
    await etcd?.stop();
    build?.remove();
  });

  async function call(replica: Replica, method: string, path: string, body?: unknown) {
    const answer = await replica.request(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }

  /** Asserts that both replicas serve the same object, alone and in a list. */
  async function same(path: string, name: string) {
    const [one, other] = await Promise.all([present, next].map((replica) => call(replica, 'GET', `${path}/${name}`)));
    assert.deepEqual(one, other);
    const [items, others] = await Promise.all(
      [present, next].map(async (replica) => (await call(replica, 'GET', path)).items),
    );
    assert.deepEqual(items, others);
    return one;
  }

  const keys = async (): Promise<{ key: string; revision: number }[]> =>
    JSON.parse(await storageTool('list', '-o', 'json', `--etcd-servers=${etcd.endpoint}`));

  async function storedIn(kind: string): Promise<string[]> {
    const { resources } = JSON.parse(await storageTool('status', '-o', 'json', `--etcd-servers=${etcd.endpoint}`));
    const { versions } = resources.find(({ resource }: { resource: string }) => resource === kind);
    return Object.keys(versions)
      .map((version) => version.slice(version.indexOf('/') + 1))
      .sort();
  }

  const capacity = (name: string) => ({ metadata: { name }, storageClassName: 'fast', capacity: '5Gi' });

  it('serve the same objects side by side', async () => {
    await call(present, 'POST', V1, capacity('one'));
    await call(present, 'POST', MAPS, { metadata: { name: 'before' }, data: { a: 'b' } });
    next = await startReplica(pki, etcd.endpoint, { dist: build.dist });
    proxy = await startRoundRobin([present.port, next.port]);
    clients = new Clients(pki, proxy.port);
    await clients.start();
    clients.begin();
    await same(V1, 'one');
    await same(V1BETA1, 'one');
    assert.deepEqual(await storedIn('storage/csistoragecapacities'), ['v1']);

    await call(next, 'POST', V1, capacity('two'));
    assert.deepEqual(await storedIn('storage/csistoragecapacities'), ['v1', 'v1beta1']);
    await same(V1, 'two');
    await same(V1BETA1, 'two');
    // Both replicas write alternately. Each replaces the object that the other one stored.
    for (const [i, replica] of [present, next, present, next].entries()) {
      const found = await call(replica, 'GET', `${V1}/two`);
      await call(replica, 'PUT', `${V1}/two`, { ...found, capacity: `${i + 6}Gi` });
      assert.equal((await same(V1, 'two')).capacity, `${i + 6}Gi`);
      assert.equal((await same(V1BETA1, 'two')).capacity, `${i + 6}Gi`);
    }
    await clients.recovered('two releases side by side');
    assert.deepEqual([...clients.writes.failures, ...clients.reads.failures, ...clients.violations], []);
    assert.equal(clients.relists, 0);
  });

  it('do not rewrite objects that no client has changed', async () => {
    const schemas = async () => (await call(present, 'GET', SCHEMAS)).items.length;
    assert.ok((await schemas()) > 5);
    await same(SCHEMAS, 'exempt');
    const ours = ({ key }: { key: string }) =>
      !/\/leases\/|\/masterleases\/|\/events\/|configmaps\/default\/(made-|followed)/.test(key);
    const before = (await keys()).filter(ours);
    await sleep(5000);
    assert.deepEqual((await keys()).filter(ours), before);
  });

  it('allow a rollback: the earlier release reads and writes objects of the later one', async () => {
    const made = await call(next, 'POST', MAPS, { metadata: { name: 'after' }, data: { a: 'b' } });
    assert.equal(made.audience, 'all');
    await call(next, 'POST', V1BETA1, capacity('three'));
    clients.begin();
    await next.stop();
    for (const name of ['one', 'two', 'three']) {
      const found = await call(present, 'GET', `${V1}/${name}`);
      await call(present, 'PUT', `${V1}/${name}`, { ...found, capacity: '1Gi' });
    }
    const map = await call(present, 'GET', `${MAPS}/after`);
    assert.deepEqual(map.data, { a: 'b' });
    const changed = await call(present, 'PUT', `${MAPS}/after`, { ...map, data: { a: 'c' } });
    assert.deepEqual([changed.data, changed.audience], [{ a: 'c' }, undefined]);
    assert.deepEqual(await storedIn('storage/csistoragecapacities'), ['v1']);
    await clients.recovered('rolled back');
    assert.deepEqual(clients.violations, []);
    // An object that is stored in the other version is not damage. The new field is reported until the next write.
    for (const found of await damageIn(`--etcd-servers=${etcd.endpoint}`))
      assert.match(found, /^not-of-its-schema .*\/configmaps\/.* fields that its kind does not have: 1$/);
  });
});
