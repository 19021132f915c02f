import assert from 'node:assert/strict';
import { type EmbeddedStore, openEmbeddedStore } from '#storage-embedded/embedded-store.ts';
import { InitialState } from './initial-state.ts';

const PREFIX = '/registry/';

describe('InitialState of a store', () => {
  let store: EmbeddedStore;

  beforeEach(async () => {
    store = await openEmbeddedStore({ file: undefined });
  });

  afterEach(() => store.close());

  const put = async (key: string, text: string, ttlSeconds?: number) => {
    const present = await store.get(PREFIX + key);
    if (present === undefined) await store.create(PREFIX + key, Buffer.from(text), ttlSeconds);
    else await store.update(PREFIX + key, present.revision, Buffer.from(text), ttlSeconds);
  };
  const remove = async (key: string) => store.remove(PREFIX + key, (await store.get(PREFIX + key))!.revision);
  const state = async () => {
    const { items } = await store.list(PREFIX, {});
    return Object.fromEntries(items.map(({ key, value }) => [key.slice(PREFIX.length), value.toString()]));
  };
  const begin = () => InitialState.of(store, PREFIX, (key) => key.startsWith(`${PREFIX}own/`));

  it('restores added, changed and removed keys at later revisions', async () => {
    await put('kept', 'a');
    await put('changed', 'b');
    await put('removed', 'c');
    const initial = await begin();
    for (let round = 0; round < 2; round++) {
      await put('added', 'd');
      await put('changed', 'e');
      await remove('removed');
      const before = await store.currentRevision();
      assert.equal(await initial.restore(), 3);
      assert.deepEqual(await state(), { changed: 'b', kept: 'a', removed: 'c' });
      assert.equal(await store.currentRevision(), before + 3);
    }
    assert.equal(await initial.restore(), 0);
  });

  it('leaves out keys with a time to live and does not touch kept keys', async () => {
    await put('event', 'a', 3600);
    await put('own/record', '1');
    const initial = await begin();
    await put('own/record', '2');
    await put('own/other', '3');
    assert.equal(await initial.restore(), 1);
    assert.deepEqual(await state(), { 'own/other': '3', 'own/record': '2' });
  });

  it('removes namespaces last and restores them first', async () => {
    await put('core/namespaces/a', 'a');
    await put('core/pods/a/a', 'a');
    const initial = await begin();
    await remove('core/pods/a/a');
    await remove('core/namespaces/a');
    await put('core/namespaces/b', 'b');
    await put('core/pods/b/b', 'b');
    await initial.restore();
    const revisions = async (key: string) => (await store.get(PREFIX + key))!.revision;
    assert.ok((await revisions('core/namespaces/a')) < (await revisions('core/pods/a/a')));
    const order: string[] = [];
    const stop = new AbortController();
    for await (const { changes } of store.feed(PREFIX, 1, { signal: stop.signal })) {
      for (const { key, value } of changes) if (value === undefined) order.push(key.slice(PREFIX.length));
      if (order.length >= 4) stop.abort();
    }
    assert.deepEqual(order.slice(2), ['core/pods/b/b', 'core/namespaces/b']);
  });

  it('is restored even if another client writes at the same time', async () => {
    await put('a', 'a');
    const initial = await begin();
    await put('a', 'b');
    const restoring = initial.restore();
    const writing = put('b', 'b');
    await Promise.all([restoring, writing]);
    await initial.restore();
    assert.deepEqual(await state(), { a: 'a' });
  });
});
