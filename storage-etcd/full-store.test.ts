import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCompactor } from '#storage/compactor.ts';
import type { DataStore } from '#storage/data-store.ts';
import { StoreFullError } from '#storage/object-store.ts';
import { Connection } from './connection.ts';
import { createEtcdStore } from './etcd-store.ts';
import { keyBytes } from './keys.ts';
import { ownPut } from './kv-messages.ts';
import { settingsOf } from './options.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

const things = '/registry/core/things';
const large = Buffer.alloc(50_000, 'x');

describe('an etcd that has reached its quota', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let proxy: CutProxy;
  /** Goes through the proxy. */
  let store: DataStore;
  /** Goes to etcd directly, as another replica would. */
  let other: DataStore;
  /**
   * The results, by key, of the creates that filled the store. So many creates run at once that several meet the last
   * free space.
   */
  const outcomes = new Map<string, unknown>();

  before(async () => {
    etcd = await EtcdProcess.start({ flags: ['--quota-backend-bytes=8000000'] });
    proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
    // on a busy machine etcd may take long to report so many writes
    const patient = { readTimeoutMs: 20_000, writeTimeoutMs: 20_000 };
    store = createEtcdStore({ endpoints: [proxy.endpoint], ...patient });
    other = createEtcdStore({ endpoints: [etcd.endpoint], ...patient });
    for (let n = 0; !other.full; n++) {
      const batch = Array.from({ length: 40 }, async (_, i) => {
        const key = `${things}/${n}-${i}`;
        outcomes.set(key, await other.create(key, large).catch((error: unknown) => error));
      });
      await Promise.all(batch);
    }
  });

  after(async () => {
    await store?.close();
    await other?.close();
    await proxy?.close();
    await etcd?.stop();
  });

  /** The key and revision of something that is stored. */
  async function stored(): Promise<[key: string, revision: number]> {
    const { items } = await other.list(`${things}/`, { limit: 1, keysOnly: true });
    return [items[0]!.key, items[0]!.revision];
  }

  /** Newer versions of etcd do not allow it. With them, a lost answer stays an unknown outcome. */
  async function takesOwnPuts(): Promise<boolean> {
    const { endpoints } = new Connection(settingsOf({ endpoints: [etcd.endpoint] }));
    const put = ownPut({ key: keyBytes('/registry/store:own'), value: Buffer.from('1') });
    const request = { compare: [], success: [put], failure: [] };
    const taken = await endpoints
      .current()
      .kv.txn(request, 5_000)
      .then(
        () => true,
        () => false,
      );
    endpoints.close();
    return taken;
  }

  it('has stored each successful write and no refused write', async () => {
    for (const outcome of outcomes.values())
      assert.ok(!(outcome instanceof Error) || outcome instanceof StoreFullError, String(outcome));
    const { items } = await other.list(`${things}/`, { keysOnly: true });
    const written = [...outcomes].filter(([, outcome]) => !(outcome instanceof Error)).map(([key]) => key);
    assert.deepEqual(items.map(({ key }) => key).sort(), written.sort());
  });

  it('refuses writes with StoreFullError, with and without a lease, and reports full after databaseSizes', async () => {
    await assert.rejects(store.create('/registry/new', Buffer.from('1')), StoreFullError);
    await assert.rejects(store.create('/registry/new', Buffer.from('1'), 60), StoreFullError);
    const [key, revision] = await stored();
    await assert.rejects(store.update(key, revision, Buffer.from('1')), StoreFullError);
    const fresh = createEtcdStore({ endpoints: [etcd.endpoint] });
    assert.equal(fresh.full, false);
    await fresh.databaseSizes();
    assert.equal(fresh.full, true);
    await fresh.close();
  });

  it('accepts conditional deletions', async () => {
    const [key, revision] = await stored();
    assert.equal((await store.remove(key, revision - 1)).outcome, 'changed');
    assert.equal((await store.remove(key, revision)).outcome, 'written');
    assert.equal(await other.get(key), undefined);
    const [next, at] = await stored();
    assert.equal((await store.transact([{ key: next, revision: at }], [{ key: next }])).outcome, 'written');
  });

  it('finds out whether a deletion succeeded if its answer is lost', async function () {
    if (!(await takesOwnPuts())) this.skip();
    const [key, revision] = await stored();
    proxy.mute();
    const result = store.remove(key, revision);
    while ((await other.get(key)) !== undefined) await sleep(5);
    proxy.cut();
    proxy.unmute();
    assert.equal((await result).outcome, 'written');
  });

  it('distinguishes its own deletion from a deletion by another client', async function () {
    if (!(await takesOwnPuts())) this.skip();
    const [key, revision] = await stored();
    assert.equal((await other.remove(key, revision)).outcome, 'written');
    proxy.mute();
    const result = store.remove(key, revision);
    await sleep(100);
    proxy.cut();
    proxy.unmute();
    assert.deepEqual(await result, { outcome: 'changed', current: undefined });
  });

  it('still compacts its history', async () => {
    const abort = new AbortController();
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const running = startCompactor(store, {
      intervalMs: 50,
      key: '/registry/store:compaction',
      signal: abort.signal,
      onError,
    });
    const until = await other.currentRevision();
    // If this never happens, mocha's time limit ends the test.
    while ((await other.oldestRevision()) < until) await sleep(20);
    abort.abort();
    await running;
    assert.deepEqual(errors, []);
  });
});
