import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataStore } from '#storage/data-store.ts';
import { OutcomeUnknownError, StoreUnavailableError } from '#storage/object-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

/** All versions of a key, oldest first; undefined for a deletion. */
async function historyOf(store: DataStore, key: string): Promise<(string | undefined)[]> {
  const abort = new AbortController();
  const seen: (string | undefined)[] = [];
  const until = await store.currentRevision();
  await store.transact([], [{ key: '/registry/zz-end', value: Buffer.from('end') }]);
  for await (const batch of store.feed('/registry/', 0, { signal: abort.signal })) {
    for (const change of batch.changes) {
      if (change.key === key) seen.push(change.value?.toString());
    }
    if (batch.revision > until) abort.abort();
  }
  return seen;
}

/** On a busy machine etcd may take long to answer, but this is longer than any real answer. */
const PATIENT = { readTimeoutMs: 20_000, writeTimeoutMs: 20_000, openTimeoutMs: 20_000 };

describe('a write whose answer is lost', () => {
  const key = '/registry/core/things/a';
  let etcd: EtcdProcess;
  let proxy: CutProxy;
  /** These stores go through the proxy. The second one has a short time limit. */
  let store: DataStore;
  let hasty: DataStore;
  /** Goes to etcd directly, as another replica would. */
  let other: DataStore;

  beforeEach(async () => {
    etcd = await EtcdProcess.start();
    proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
    store = createEtcdStore({ endpoints: [proxy.endpoint], ...PATIENT });
    hasty = createEtcdStore({ endpoints: [proxy.endpoint], ...PATIENT, writeTimeoutMs: 1_000 });
    other = createEtcdStore({ endpoints: [etcd.endpoint], ...PATIENT });
    await Promise.all([store.currentRevision(), hasty.currentRevision()]);
  });

  afterEach(async () => {
    await Promise.all([store.close(), hasty.close(), other.close()]);
    await proxy.close();
    await etcd.stop();
  });

  /** Waits until a store with short limits has settled its writes. */
  async function settled(some: DataStore): Promise<void> {
    for (;;) {
      try {
        return await some.settle();
      } catch (error) {
        if (!(error instanceof OutcomeUnknownError)) throw error;
      }
    }
  }

  /**
   * Drops answers until etcd has done the write, as the other replica sees. Then runs `meanwhile` and cuts the
   * connection.
   */
  async function loseAnswer<T>(write: () => Promise<T>, meanwhile: () => Promise<unknown> = async () => {}) {
    proxy.mute();
    const before = await other.currentRevision();
    const result = write();
    result.catch(() => {});
    while ((await other.currentRevision()) === before) await sleep(5);
    await meanwhile();
    proxy.cut();
    proxy.unmute();
    return result;
  }

  it('create: succeeds at the revision of the write', async () => {
    const result = await loseAnswer(() => store.create(key, Buffer.from('1')));
    assert.deepEqual(result, { outcome: 'written', revision: (await other.get(key))?.revision });
    assert.deepEqual(await historyOf(other, key), ['1']);
  });

  it('update: succeeds, without a conflict with its own write', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    const result = await loseAnswer(() => store.update(key, created.revision, Buffer.from('2')));
    assert.deepEqual(result, { outcome: 'written', revision: (await other.get(key))?.revision });
    assert.deepEqual(await historyOf(other, key), ['1', '2']);
  });

  it('update to the same bytes: succeeds according to the revision', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    const result = await loseAnswer(() => store.update(key, created.revision, Buffer.from('1')));
    assert.deepEqual(result, { outcome: 'written', revision: (await other.get(key))?.revision });
    assert.deepEqual(await historyOf(other, key), ['1', '1']);
  });

  it('remove: succeeds at the revision of the deletion', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    const result = await loseAnswer(() => store.remove(key, created.revision));
    assert.equal(result.outcome, 'written');
    assert.deepEqual(await historyOf(other, key), ['1', undefined]);
  });

  it('transaction: succeeds for all its keys', async () => {
    const result = await loseAnswer(() =>
      store.transact(
        [{ key, revision: 0 }],
        [
          { key, value: Buffer.from('1') },
          { key: `${key}2`, value: Buffer.from('2') },
        ],
      ),
    );
    assert.deepEqual(result, { outcome: 'written', revision: (await other.get(`${key}2`))?.revision });
    assert.deepEqual(await historyOf(other, key), ['1']);
  });

  it('succeeds even if another client has changed or deleted the key since', async () => {
    const result = await loseAnswer(
      () => store.create(key, Buffer.from('1')),
      async () => {
        const current = await other.get(key);
        const updated = await other.update(key, current!.revision, Buffer.from('2'));
        assert.equal(updated.outcome, 'written');
        await other.remove(key, updated.revision);
      },
    );
    assert.equal(result.outcome, 'written');
    assert.deepEqual(await historyOf(other, key), ['1', '2', undefined]);
  });

  it('parallel creates: each is done once and has its own outcome', async () => {
    const results = await loseAnswer(() =>
      Promise.all(Array.from({ length: 20 }, (_, i) => store.create(`${key}/${i}`, Buffer.from(`${i}`)))),
    );
    assert.ok(results.every(({ outcome }) => outcome === 'written'));
    assert.equal(await other.count(`${key}/`), 20);
    assert.deepEqual(await historyOf(other, `${key}/7`), ['7']);
  });

  it('is a conflict if another client has changed the key first', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    await other.update(key, created.revision, Buffer.from('theirs'));
    proxy.mute();
    const result = store.update(key, created.revision, Buffer.from('mine'));
    await sleep(100);
    proxy.cut();
    proxy.unmute();
    const outcome = await result;
    assert.equal(outcome.outcome, 'changed');
    assert.equal(outcome.outcome === 'changed' && outcome.current?.value.toString(), 'theirs');
  });

  it('is a conflict if another client has removed the key first', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    await other.remove(key, created.revision);
    proxy.mute();
    const result = store.remove(key, created.revision);
    await sleep(100);
    proxy.cut();
    proxy.unmute();
    assert.deepEqual(await result, { outcome: 'changed', current: undefined });
    assert.deepEqual(await historyOf(other, key), ['1', undefined]);
  });

  it('in progress when etcd freezes: has an unknown outcome and is never done twice', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    await etcd.freeze();
    const result = await hasty.update(key, created.revision, Buffer.from('2')).catch((error: unknown) => error);
    etcd.thaw();
    assert.ok(result instanceof OutcomeUnknownError, String(result));
    await sleep(200);
    // The frozen member has done the write in the end, or has refused it because its deadline had passed. Both results
    // fit "unknown".
    const history = await historyOf(other, key);
    assert.deepEqual(history.slice(0, 2), history.length === 1 ? ['1'] : ['1', '2']);
    assert.ok(history.length <= 2);
    // Writes continue, whatever happened to the fence.
    const current = await store.get(key);
    assert.equal((await store.update(key, current!.revision, Buffer.from('3'))).outcome, 'written');
  });

  it('arriving long after it was given up: has no effect', async () => {
    proxy.hold();
    const result = store.create(key, Buffer.from('1'));
    while (!proxy.holdsSomething) await sleep(5);
    proxy.strand();
    const created = await result;
    assert.equal(created.outcome, 'written');
    await other.remove(key, created.revision);
    proxy.deliver();
    await sleep(200);
    assert.deepEqual(await historyOf(other, key), ['1', undefined]);
  });

  it('has an unknown outcome if etcd is unreachable, and no effect after the store has settled', async () => {
    proxy.hold();
    await assert.rejects(hasty.create(key, Buffer.from('1')), OutcomeUnknownError);
    await assert.rejects(hasty.settle(), OutcomeUnknownError);
    proxy.strand();
    await settled(hasty);
    proxy.deliver();
    await sleep(200);
    assert.deepEqual(await historyOf(other, key), []);
    assert.equal((await store.create(key, Buffer.from('2'))).outcome, 'written');
  });

  it('is sent again if it is certain that the first request can no longer reach etcd', async () => {
    const created = await store.create(key, Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    await etcd.freeze();
    const result = store.update(key, created.revision, Buffer.from('2'));
    await sleep(50);
    proxy.cut();
    etcd.thaw();
    assert.equal((await result).outcome, 'written');
    assert.deepEqual(await historyOf(other, key), ['1', '2']);
  });
});

describe('etcd that is down', () => {
  it('fails reads and writes after about a second, and serves them when it is back', async () => {
    const etcd = await EtcdProcess.start();
    const store = createEtcdStore({ endpoints: [etcd.endpoint] });
    try {
      await store.create('/registry/a', Buffer.from('1'));
      await etcd.kill();
      const start = Date.now();
      // While the connection is known to be down, no write is sent. So no write has an unknown outcome.
      await assert.rejects(store.get('/registry/a'), StoreUnavailableError);
      await Promise.all([
        assert.rejects(store.create('/registry/b', Buffer.from('1')), StoreUnavailableError),
        assert.rejects(store.create('/registry/c', Buffer.from('1'), 60), StoreUnavailableError),
        assert.rejects(store.currentRevision(), StoreUnavailableError),
        assert.rejects(store.health(), StoreUnavailableError),
      ]);
      assert.ok(Date.now() - start < 15_000, `${Date.now() - start} ms`);
      await etcd.restart();
      assert.equal((await store.create('/registry/b', Buffer.from('1'))).outcome, 'written');
    } finally {
      await store.close();
      await etcd.stop();
    }
  });

  it('delays reads during a restart, but does not fail them', async () => {
    const etcd = await EtcdProcess.start();
    const store = createEtcdStore({ endpoints: [etcd.endpoint], unavailableAfterMs: 10_000 });
    try {
      await store.create('/registry/a', Buffer.from('1'));
      await etcd.kill();
      const [read] = await Promise.all([store.get('/registry/a'), etcd.restart()]);
      assert.equal(read?.value.toString(), '1');
    } finally {
      await store.close();
      await etcd.stop();
    }
  });
});
