import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const FULL = 'the store is full: until there is room again it takes deletions only';

describe('a replica whose etcd has reached its quota', function () {
  this.timeout(120_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let names: string[] = [];

  before(async () => {
    etcd = await EtcdProcess.start({ flags: ['--quota-backend-bytes=8000000'] });
    replica = await startReplica(etcd.endpoint, '--etcd-compaction-interval=1s');
    const held = { name: 'held', finalizers: ['orphan'] };
    assert.equal((await replica.call('POST', MAPS, { body: { metadata: held } })).status, 201);
    const data = { filler: 'x'.repeat(50_000) };
    for (let full = false; !full; ) {
      const metadata = { generateName: 'filler-' };
      const { status, json } = await replica.call('POST', MAPS, { body: { metadata, data } });
      if (status === 201) names.push(json.metadata.name);
      else full = true;
      assert.ok(status === 201 || json.message === FULL, json.message);
    }
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  it('refuses writes with the reason, and reports it in /readyz and metrics', async () => {
    const { status, json, headers } = await replica.call('POST', MAPS, { body: { metadata: { name: 'new' } } });
    assert.deepEqual([status, json.reason, json.message], [503, 'ServiceUnavailable', FULL]);
    assert.equal(headers['retry-after'], '10');
    const ready = await replica.call('GET', '/readyz?verbose');
    assert.equal(ready.status, 200, 'deletions have to get to it');
    assert.match(ready.text, /^\[\+\]etcd ok: the store is full and takes deletions only$/m);
    assert.equal(
      (await replica.call('GET', '/readyz')).headers['warning'],
      '299 - "the store is full and takes deletions only"',
    );
    assert.match((await replica.call('GET', '/metrics')).text, /^apiserver_storage_full 1$/m);
  });

  it('deletes an object whose deletion would first write a change', async () => {
    const removed = await replica.call('DELETE', `${MAPS}/held?propagationPolicy=Background`);
    assert.equal(removed.status, 200, removed.text);
    assert.equal((await replica.call('GET', `${MAPS}/held`)).status, 404);
  });

  it('deletes single objects and collections', async () => {
    const [name] = names;
    assert.equal((await replica.call('DELETE', `${MAPS}/${name}`)).status, 200);
    assert.equal((await replica.call('GET', `${MAPS}/${name}`)).status, 404);
    assert.equal((await replica.call('DELETE', MAPS)).status, 200);
    names = [];
    assert.deepEqual((await replica.call('GET', MAPS)).json.items, []);
  });

  it('can start', async () => {
    await replica.stop();
    replica = await startReplica(etcd.endpoint, '--etcd-compaction-interval=1s');
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    assert.equal((await replica.call('GET', '/api/v1/namespaces/default')).status, 200);
  });

  it('accepts writes again when there is space', async () => {
    const maintain = async (what: string, body: object) => {
      const answer = await fetch(`${etcd.endpoint}/v3/maintenance/${what}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      assert.equal(answer.status, 200, what);
      return (await answer.json()) as { alarms?: { memberID: string }[] };
    };
    const create = () => replica.call('POST', MAPS, { body: { metadata: { generateName: 'again-' } } });
    // History expires by itself. If it does not, mocha's time limit ends the test.
    for (let { status } = await create(); status !== 201; { status } = await create()) {
      assert.equal(status, 503);
      await maintain('defragment', {});
      const { alarms = [] } = await maintain('alarm', {});
      for (const { memberID } of alarms) {
        await maintain('alarm', { action: 'DEACTIVATE', memberID, alarm: 'NOSPACE' });
      }
      await sleep(200);
    }
    assert.match((await replica.call('GET', '/readyz?verbose')).text, /^\[\+\]etcd ok$/m);
  });
});
