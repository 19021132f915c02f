import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

describe('a replica whose store is emptied', function () {
  this.timeout(120_000);
  let replica: TestReplica;
  let etcd: EtcdProcess;

  aroundAll((...started) => ([replica, etcd] = started));

  const text = (value: string): string => Buffer.from(value).toString('base64');

  it('creates the default objects again', async () => {
    const group = testNaming.group('rbac.authorization');
    const paths = [
      '/api/v1/namespaces/default',
      `/api/v1/namespaces/${testNaming.prefixed('system')}`,
      `/apis/${group}/v1/clusterroles/cluster-admin`,
      `/apis/${group}/v1/clusterrolebindings/system:public-info-viewer`,
      `/apis/${testNaming.group('scheduling')}/v1/priorityclasses/system-node-critical`,
      `/api/v1/namespaces/default/services/${testNaming.product}`,
    ];
    const statuses = () => Promise.all(paths.map(async (path) => (await replica.call('GET', path)).status));
    const present = paths.map(() => 200);
    assert.deepEqual(await statuses(), present);
    const anonymous = async () => (await replica.call('GET', '/livez', { token: '' })).status;
    assert.equal(await anonymous(), 200);
    const uid = async () => (await replica.call('GET', '/api/v1/namespaces/default')).json.metadata?.uid;
    const before = await uid();
    const emptied = await fetch(`${etcd.endpoint}/v3/kv/deleterange`, {
      method: 'POST',
      body: JSON.stringify({ key: text('/registry/'), range_end: text('/registry0') }),
    });
    assert.equal(emptied.status, 200);
    // If this never happens, mocha's time limit ends the test.
    for (let now = await uid(); now === undefined || now === before; now = await uid()) await sleep(50);
    while ((await anonymous()) !== 200) await sleep(50);
    while ((await statuses()).some((status) => status !== 200)) await sleep(50);
  });

  it('does not create again an object that a client deleted', async () => {
    const path = `/apis/${testNaming.group('rbac.authorization')}/v1/clusterroles/view`;
    assert.equal((await replica.call('DELETE', path)).status, 200);
    await sleep(6_000);
    assert.equal((await replica.call('GET', path)).status, 404);
  });
});
