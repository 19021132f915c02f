import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { tries } from '#scripts/tries.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, n = 0): object {
  return { metadata: { name }, data: { n: String(n) } };
}

describe('two replicas on one etcd', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let a: TestReplica;
  let b: TestReplica;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    [a, b] = await Promise.all([startReplica(etcd.endpoint), startReplica(etcd.endpoint)]);
  });

  after(async () => {
    await Promise.all([a?.stop(), b?.stop()]);
    await etcd?.stop();
  });

  it('show every acknowledged write of the other replica in the next read', async () => {
    for (let n = 0; n < tries(250); n++) {
      const name = `pair-${n}`;
      const created = await a.call('POST', MAPS, { body: configMap(name) });
      assert.equal(created.status, 201);
      assert.equal((await b.call('GET', `${MAPS}/${name}`)).status, 200, 'a created object is found');
      const same = await b.call('PUT', `${MAPS}/${name}`, { body: configMap(name) });
      assert.equal(same.json.metadata.resourceVersion, created.json.metadata.resourceVersion, 'nothing changed');
      assert.equal((await b.call('PUT', `${MAPS}/${name}`, { body: configMap(name, 1) })).status, 200);
      const back = await a.call('PUT', `${MAPS}/${name}`, { body: configMap(name) });
      assert.notEqual(
        back.json.metadata.resourceVersion,
        created.json.metadata.resourceVersion,
        'the change is undone',
      );
      assert.equal((await b.call('POST', MAPS, { body: configMap(name) })).status, 409, 'the name is taken');
      assert.equal((await a.call('DELETE', `${MAPS}/${name}`)).status, 200);
      assert.equal((await b.call('DELETE', `${MAPS}/${name}`)).status, 404, 'a deleted object is gone');
      assert.equal((await b.call('POST', MAPS, { body: configMap(name) })).status, 201, 'the name is free again');
      assert.equal((await a.call('DELETE', `${MAPS}/${name}`)).status, 200);
    }
  });

  it('continue a list of the same snapshot with tokens of the other replica', async () => {
    for (let n = 0; n < 20; n++) await a.call('POST', MAPS, { body: configMap(`page-${String(n).padStart(2, '0')}`) });
    const names: string[] = [];
    let token = '';
    do {
      const replica = names.length % 2 === 0 ? a : b;
      const page = await replica.call('GET', `${MAPS}?limit=3&continue=${token}`);
      for (const item of page.json.items) if (item.metadata.name.startsWith('page-')) names.push(item.metadata.name);
      token = page.json.metadata.continue ?? '';
      await a.call('DELETE', `${MAPS}/page-${String(names.length % 20).padStart(2, '0')}`);
    } while (token !== '');
    assert.deepEqual(
      names,
      Array.from({ length: 20 }, (_, n) => `page-${String(n).padStart(2, '0')}`),
    );
  });

  it('allow a new replica to continue a watch that started before it', async () => {
    const { json } = await a.call('POST', MAPS, { body: configMap('resumed') });
    const start = json.metadata.resourceVersion;
    for (let n = 1; n <= 50; n++) await a.call('PUT', `${MAPS}/resumed`, { body: configMap('resumed', n) });
    const fresh = await startReplica(etcd.endpoint);
    const seen: string[] = [];
    const watch = await fresh.watch(`${MAPS}?watch=1&resourceVersion=${start}`, ({ type, object }) =>
      seen.push(`${type} ${object.data?.n}`),
    );
    // If this never happens, mocha's time limit ends the test.
    while (seen.length < 50) await sleep(20);
    watch.close();
    assert.deepEqual(
      seen,
      Array.from({ length: 50 }, (_, n) => `MODIFIED ${n + 1}`),
    );
    await fresh.stop();
  });

  it('answer 503 soon while etcd is down, report it in /readyz, and recover', async () => {
    await etcd.kill();
    const started = Date.now();
    const [read, write, any] = await Promise.all([
      a.call('GET', `${MAPS}/resumed`),
      a.call('POST', MAPS, { body: configMap('lost') }),
      a.call('GET', `${MAPS}/resumed?resourceVersion=0`),
    ]);
    assert.equal(read.status, 503);
    assert.ok(write.status === 503 || write.status === 504, `create answers ${write.status}`);
    assert.equal(any.status, 200, 'any version is served from memory');
    assert.ok(Date.now() - started < 20_000, 'the answers are quick');
    assert.notEqual((await a.call('GET', '/readyz')).status, 200);
    await etcd.restart();
    while ((await a.call('GET', '/readyz')).status !== 200) await sleep(100);
    assert.equal((await a.call('GET', `${MAPS}/resumed`)).status, 200);
    assert.equal((await b.call('POST', MAPS, { body: configMap('after') })).status, 201);
  });
});
