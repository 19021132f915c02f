import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CompactableStore, startCompactor } from '#storage/compactor.ts';
import type { DataStore } from '#storage/data-store.ts';
import { wasReplaced } from '#storage/data-store.ts';
import type { Revision } from '#storage/object-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

describe('startCompactor', () => {
  const key = '/registry/store:compaction';
  let etcd: EtcdProcess;
  let store: DataStore;

  before(async () => {
    etcd = await EtcdProcess.start();
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  after(async () => {
    await store.close();
    await etcd.stop();
  });

  it('compacts once per interval for many replicas, to the revision of an interval before', async () => {
    const intervalMs = 200;
    const abort = new AbortController();
    const compactions: { readonly at: number; readonly revision: Revision }[] = [];
    const revisions: { readonly at: number; readonly revision: Revision }[] = [];
    const counted: CompactableStore = {
      ...store,
      compact: async (revision) => {
        compactions.push({ at: Date.now(), revision });
        await store.compact(revision);
      },
    };
    const errors: unknown[] = [];
    const options = { intervalMs, key, signal: abort.signal, onError: (error: unknown) => errors.push(error) };
    const running: Promise<void>[] = [];
    const began = Date.now();
    for (let i = 0; i < 4; i++) {
      running.push(startCompactor(counted, options));
      await sleep(40);
    }
    const enough = () => Date.now() - began > 1_300 && compactions.length >= 3;
    for (let i = 0; !enough(); i++) {
      const result = await store.transact([], [{ key: `/registry/things/${i}`, value: Buffer.from('x') }]);
      assert.equal(result.outcome, 'written');
      revisions.push({ at: Date.now(), revision: result.revision });
      await sleep(20);
    }
    abort.abort();
    await Promise.all(running);
    assert.deepEqual(errors, []);
    const intervals = Math.ceil((Date.now() - began) / intervalMs);
    assert.ok(compactions.length <= intervals, `${compactions.length} compactions in ${intervals} intervals`);
    for (const { at, revision } of compactions) {
      const youngest = revisions.findLast((written) => written.at < at - intervalMs + 50);
      assert.ok(!youngest || revision <= youngest.revision + 3, `${revision} was not old enough`);
    }
    assert.equal(await store.oldestRevision(), compactions.at(-1)?.revision);
  });

  it('does nothing if the interval is zero', async () => {
    await startCompactor(store, { intervalMs: 0, key: `${key}-never`, signal: new AbortController().signal });
    assert.equal(await store.get(`${key}-never`), undefined);
  });

  it('reports an unreadable record and continues', async () => {
    const abort = new AbortController();
    const other = `${key}-broken`;
    await store.create(other, Buffer.from('nonsense'));
    const errors: unknown[] = [];
    const running = startCompactor(store, {
      intervalMs: 30,
      key: other,
      signal: abort.signal,
      onError: (error) => errors.push(error),
    });
    // If this never happens, mocha's time limit ends the test.
    while (!/^\{"revision":\d+\}$/.test((await store.get(other))!.value.toString())) await sleep(10);
    abort.abort();
    await running;
    assert.equal(errors.length, 1);
  });
});

describe('wasReplaced', () => {
  for (const [before, now, replaced] of [
    [['a', 5], ['a', 5], false],
    [['a', 5], ['a', 6], false],
    [['a', 5], ['a', 4], true],
    [['a', 5], ['b', 9], true],
  ] as const) {
    it(`a store at ${before} that is now at ${now} was ${replaced ? '' : 'not '}replaced`, () => {
      assert.equal(
        wasReplaced({ clusterId: before[0], revision: before[1] }, { clusterId: now[0], revision: now[1] }),
        replaced,
      );
    });
  }
});
