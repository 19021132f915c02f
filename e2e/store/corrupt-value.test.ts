import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

const VALUES: readonly [what: string, value: string, problem: RegExp][] = [
  ['bytes', '\u0000\u0001\u0002', /does not start with its kind/],
  ['nothing', '', /does not start with its kind/],
  ['another format', 'k8s\u0000\n\u000f', /does not start with its kind/],
  ['only the beginning of an object', '{"kind":"ConfigMap","apiVersion":"v1","meta', /./],
  ['a truncated object', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"half"},"data":{"a":', /./],
  ['metadata of another type', '{"kind":"ConfigMap","apiVersion":"v1","metadata":7}', /has no metadata/],
];

/** Values that the cache can read, but the rules of their kind cannot use. */
const MISFITS: readonly [what: string, value: string][] = [
  ['finalizers', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","finalizers":7}}'],
  ['labels', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","labels":[{"a":[]}],"ownerReferences":4}}'],
];

describe('a stored value that is not an object', function () {
  this.timeout(60_000);
  let replica: TestReplica;
  let etcd: EtcdProcess;
  let store: DataStore;

  aroundAll((...started) => ([replica, etcd] = started));

  before(() => {
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  after(() => store.close());

  /** Writes a value into the store, past the API. */
  async function put(name: string, value: string): Promise<string> {
    const key = `/registry/core/configmaps/default/${name}`;
    const current = (await store.get(key))?.revision ?? 0;
    await store.transact([{ key, revision: current }], [{ key, value: Buffer.from(value, 'latin1') }]);
    return key;
  }

  async function isRepaired(name: string, problem: RegExp): Promise<void> {
    const target = `${MAPS}/${name}`;
    const got = await replica.call('GET', target);
    assert.deepEqual([got.status, got.json.reason], [500, 'InternalError'], got.text);
    assert.match(got.json.message, problem);
    assert.match(got.json.message, new RegExp(`the stored value of configmaps "${name}" cannot be read, and a DELETE`));
    const created = await replica.call('POST', MAPS, { body: { metadata: { name } } });
    assert.equal(created.status, 409, created.text);
    for (const [method, body, type] of [
      ['PUT', { metadata: { name } }, 'application/json'],
      ['PATCH', { data: { a: 'b' } }, 'application/merge-patch+json'],
    ] as const) {
      const answer = await replica.call(method, target, { body, headers: { 'Content-Type': type } });
      assert.equal(answer.status, 500, answer.text);
      assert.match(answer.json.message, /cannot be read, and a DELETE removes it/);
    }
    const list = await replica.call('GET', MAPS);
    assert.equal(list.status, 200);
    assert.ok(!list.text.includes(name));
    assert.equal((await replica.call('DELETE', `${target}?dryRun=All`)).status, 200);
    const other = await replica.call('DELETE', target, { body: { preconditions: { uid: 'other' } } });
    assert.equal(other.status, 409, other.text);
    const removed = await replica.call('DELETE', target);
    assert.equal(removed.status, 200, removed.text);
    assert.match(removed.json.message, /^the stored value could not be read, and is removed: /);
    assert.match(removed.json.message, problem);
    assert.equal((await replica.call('GET', target)).status, 404);
    assert.equal((await replica.call('DELETE', target)).status, 404);
    assert.equal((await replica.call('POST', MAPS, { body: { metadata: { name } } })).status, 201);
    assert.equal((await replica.call('DELETE', target)).status, 200);
  }

  VALUES.forEach(([what, value, problem], i) => {
    it(`can be repaired through the API: ${what}`, async () => {
      await put(`corrupt-${i}`, value);
      await isRepaired(`corrupt-${i}`, problem);
    });
  });

  it('can be repaired if it replaced an object', async () => {
    const created = await replica.call('POST', MAPS, { body: { metadata: { name: 'was-good' } } });
    assert.equal(created.status, 201);
    await put('was-good', '{');
    await isRepaired('was-good', /does not start with its kind/);
  });

  it('can be repaired by a replica that starts after the damage', async () => {
    for (const [i, [, value]] of VALUES.entries()) await put(`before-${i}`, value);
    const late = await startReplica(etcd.endpoint);
    for (const i of VALUES.keys()) {
      const target = `${MAPS}/before-${i}`;
      const removed = await late.call('DELETE', target);
      assert.equal(removed.status, 200, removed.text);
      assert.equal((await late.call('GET', target)).status, 404);
      assert.equal((await replica.call('GET', target)).status, 404);
    }
    await late.stop();
  });

  MISFITS.forEach(([what, value], i) => {
    it(`can be deleted although it does not fit its kind: ${what}`, async () => {
      await put(`misfit-${i}`, value);
      const removed = await replica.call('DELETE', `${MAPS}/misfit-${i}`);
      assert.equal(removed.status, 200, removed.text);
      assert.equal((await replica.call('GET', `${MAPS}/misfit-${i}`)).status, 404);
    });
  });
});
