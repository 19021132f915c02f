import assert from 'node:assert/strict';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

/** The number of objects. Each has about 2 KB. */
const OBJECTS = 3000;

describe('requests of a replica to etcd', function () {
  this.timeout(120_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let bytes = 0;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    await (await startReplica(etcd.endpoint)).stop();
    const store = createEtcdStore({ endpoints: [etcd.endpoint] });
    for (let i = 0; i < OBJECTS; i += 50) {
      const writes = Array.from({ length: 50 }, (_, j) => {
        const metadata = { name: `map-${i + j}`, namespace: 'default', uid: `u-${i + j}` };
        const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { it: 'x'.repeat(2000) } };
        return { key: `/registry/core/configmaps/default/map-${i + j}`, value: Buffer.from(JSON.stringify(object)) };
      });
      for (const { value } of writes) bytes += value.length;
      await store.transact([], writes);
    }
    await store.close();
    replica = await startReplica(etcd.endpoint);
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  async function metric(name: string): Promise<number> {
    const { text } = await replica.call('GET', '/metrics');
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))!
        .slice(name.length + 1),
    );
  }

  it('read each object once at the start', async () => {
    assert.equal((await replica.call('GET', '/api/v1/namespaces/default/configmaps?limit=1')).status, 200);
    const received = await metric('apiserver_storage_bytes_total{direction="received"}');
    assert.ok(received > bytes, `${received} bytes for ${bytes}`);
    assert.ok(received < 1.4 * bytes, `${received} bytes for ${bytes}`);
  });

  it('need one transaction for a write', async () => {
    const before = await metric('apiserver_storage_requests_total{type="transaction"}');
    for (let i = 0; i < 20; i++) {
      const body = { metadata: { name: `new-${i}` } };
      assert.equal((await replica.call('POST', '/api/v1/namespaces/default/configmaps', { body })).status, 201);
    }
    const written = (await metric('apiserver_storage_requests_total{type="transaction"}')) - before;
    // Some of the requests may come from the system itself.
    assert.ok(written >= 20 && written < 40, `${written} transactions for 20 writes`);
  });

  it('need at most one revision check for each read, and one for many parallel reads', async () => {
    const before = await metric('apiserver_storage_requests_total{type="range"}');
    const read = () => replica.call('GET', '/api/v1/namespaces/default/configmaps/map-1');
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 40 }, read));
    const asked = (await metric('apiserver_storage_requests_total{type="range"}')) - before;
    assert.ok(asked >= 1 && asked < 200, `${asked} questions for 200 reads`);
  });
});
