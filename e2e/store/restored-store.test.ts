import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestAnswer, type TestReplica } from '#server/testing/replica.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { CutProxy } from '#storage-etcd/testing/cut-proxy.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

const OUTCOMES: readonly [what: string, writes: number][] = [
  ['with a lower revision', 0],
  ['with other writes up to the same revision', 40],
];

for (const [what, writes] of OUTCOMES) {
  describe(`a replica whose etcd is restored to an earlier state ${what}, with the same cluster id`, function () {
    this.timeout(180_000);
    let etcd: EtcdProcess;
    let proxy: CutProxy;
    let replica: TestReplica;

    before(async () => {
      etcd = await startBootstrappedEtcd();
      proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
      replica = await startReplica(proxy.endpoint);
    });

    after(async () => {
      await replica?.stop();
      await proxy?.close();
      await etcd?.stop();
    });

    async function create(name: string): Promise<TestAnswer> {
      const made = await replica.call('POST', MAPS, { body: { metadata: { name } } });
      assert.equal(made.status, 201, made.text);
      return made;
    }

    /** Repeats a request until there is an answer. */
    async function answer(target: string): Promise<TestAnswer> {
      for (;;) {
        const found = await replica.call('GET', target);
        if (found.status < 500) return found;
        await sleep(50);
      }
    }

    it('serves nothing of the discarded history', async () => {
      const kept = await create('kept');
      const version = kept.json.metadata.resourceVersion;
      proxy.sever();
      await etcd.kill();
      const putBack = await etcd.copyData();
      await etcd.restart();
      proxy.heal();
      await answer(MAPS);
      const abandoned: string[] = [];
      for (let i = 0; i < 10; i++) {
        abandoned.push(`abandoned-${i}`);
        await create(`abandoned-${i}`);
      }
      const patched = { data: { of: 'the abandoned history' } };
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      assert.equal((await replica.call('PATCH', `${MAPS}/kept`, { body: patched, headers })).status, 200);
      const events: { type: string; object: TestAnswer['json'] }[] = [];
      const watch = await replica.watch(`${MAPS}?watch=true`, (event) => events.push(event));
      const newest = (await answer(MAPS)).json.metadata.resourceVersion;

      proxy.sever();
      await etcd.kill();
      await putBack();
      await etcd.restart();
      const store = createEtcdStore({ endpoints: [etcd.endpoint] });
      for (let i = 0; i < writes; i++) {
        const metadata = { name: `other-${i}`, namespace: 'default', uid: `uid-${i}` };
        const value = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata }));
        await store.create(`/registry/core/configmaps/default/other-${i}`, value);
      }
      await store.close();
      const told = events.length;
      proxy.heal();

      const list = await answer(MAPS);
      const names = list.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
      assert.deepEqual(
        names.filter((name: string) => abandoned.includes(name)),
        [],
      );
      assert.equal(names.filter((name: string) => name.startsWith('other-')).length, writes);
      const found = await answer(`${MAPS}/kept`);
      assert.deepEqual([found.json.data, found.json.metadata.resourceVersion], [undefined, version]);
      for (const name of abandoned) assert.equal((await answer(`${MAPS}/${name}?resourceVersion=0`)).status, 404);
      // A client that watched starts again, and gets no event that did not happen.
      await watch.ended;
      const after = events.slice(told).filter(({ type }) => type !== 'ERROR' && type !== 'BOOKMARK');
      assert.deepEqual(after, []);
      const resumed = await replica.call('GET', `${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=${newest}`);
      const shown = resumed.text.split('\n').filter((line) => line !== '');
      for (const line of shown) {
        const { type, object } = JSON.parse(line);
        if (type === 'ERROR') assert.equal(object.code, 410, line);
        else assert.equal(abandoned.includes(object.metadata.name), false, line);
      }
      await create('after');
      assert.equal((await answer(`${MAPS}/after`)).status, 200);
    });
  });
}
