import assert from 'node:assert/strict';
import { append } from '#base/collections/append.ts';
import {
  type Batch,
  type Change,
  CompactedError,
  FutureRevisionError,
  type ObjectStore,
  type Revision,
  type Stored,
  ValueTooLargeError,
} from './object-store.ts';

/** The store under test and its tools for a run of the suite. */
export interface StoreUnderTest {
  readonly store: ObjectStore;
  /** The prefix of all keys of the test. It ends with a slash, and no other test uses it. */
  readonly prefix: string;
  /** Drops the history before the revision. */
  compact(revision: Revision): Promise<void>;
}

const bytes = (text: string) => Buffer.from(text);

function textOf(stored: Stored | undefined): string | undefined {
  return stored?.value.toString();
}

async function written(result: Promise<{ readonly outcome: string; readonly revision?: Revision }>): Promise<Revision> {
  const { outcome, revision } = await result;
  assert.equal(outcome, 'written');
  assert.ok(revision !== undefined);
  return revision;
}

/** Collects this number of changes. */
async function take(store: ObjectStore, prefix: string, after: Revision, wanted: number): Promise<Change[]> {
  const abort = new AbortController();
  const changes: Change[] = [];
  for await (const batch of store.feed(prefix, after, { signal: abort.signal, previous: true })) {
    append(changes, batch.changes);
    if (changes.length >= wanted) abort.abort();
  }
  return changes;
}

/** The requirements for every ObjectStore. `make` gives each test a separate prefix. */
export function contractTests(make: () => Promise<StoreUnderTest>): void {
  let store: ObjectStore;
  let prefix: string;
  let compact: StoreUnderTest['compact'];

  beforeEach(async () => {
    ({ store, prefix, compact } = await make());
  });

  describe('one key', () => {
    it('is absent before it is created', async () => {
      assert.equal(await store.get(`${prefix}a`), undefined);
    });

    it('is read as written, at the revision of the write', async () => {
      const revision = await written(store.create(`${prefix}a`, bytes('1')));
      const stored = await store.get(`${prefix}a`);
      assert.deepEqual(stored, { key: `${prefix}a`, value: bytes('1'), revision });
    });

    it('keeps arbitrary bytes', async () => {
      const value = Buffer.from([0, 255, 128, 10, 0]);
      await store.create(`${prefix}a`, value);
      assert.deepEqual((await store.get(`${prefix}a`))?.value, value);
    });

    it('can be created only once: the second create returns the current value', async () => {
      const revision = await written(store.create(`${prefix}a`, bytes('1')));
      assert.deepEqual(await store.create(`${prefix}a`, bytes('2')), {
        outcome: 'exists',
        current: { key: `${prefix}a`, value: bytes('1'), revision },
      });
    });

    it('can be updated only at the expected revision', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      const second = await written(store.update(`${prefix}a`, first, bytes('2')));
      assert.ok(second > first);
      assert.deepEqual(await store.update(`${prefix}a`, first, bytes('3')), {
        outcome: 'changed',
        current: { key: `${prefix}a`, value: bytes('2'), revision: second },
      });
    });

    it('gets a new revision even if the value does not change', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      assert.ok((await written(store.update(`${prefix}a`, first, bytes('1')))) > first);
    });

    it('can be removed only at the expected revision', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      const second = await written(store.update(`${prefix}a`, first, bytes('2')));
      const refused = await store.remove(`${prefix}a`, first);
      assert.equal(refused.outcome, 'changed');
      const third = await written(store.remove(`${prefix}a`, second));
      assert.ok(third > second);
      assert.equal(await store.get(`${prefix}a`), undefined);
    });

    it('is reported as absent by an update or a remove after it was removed', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      await store.remove(`${prefix}a`, first);
      const changed = { outcome: 'changed', current: undefined };
      assert.deepEqual(await store.update(`${prefix}a`, first, bytes('2')), changed);
      assert.deepEqual(await store.remove(`${prefix}a`, first), changed);
    });

    it('can be read at an earlier revision', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      await store.update(`${prefix}a`, first, bytes('2'));
      assert.equal(textOf(await store.get(`${prefix}a`, first)), '1');
    });

    it('cannot be read at a future revision', async () => {
      const future = (await store.currentRevision()) + 1_000;
      await assert.rejects(store.get(`${prefix}a`, future), FutureRevisionError);
    });

    it('refuses a value that is too large, and keeps working', async () => {
      await assert.rejects(store.create(`${prefix}a`, Buffer.alloc(3_000_000)), ValueTooLargeError);
      assert.equal(await store.get(`${prefix}a`), undefined);
    });
  });

  describe('a range', () => {
    const names = ['a', 'b', 'b/c', 'd', 'e'];

    beforeEach(async () => {
      for (const name of names) await store.create(prefix + name, bytes(name));
      await store.create(`${prefix.slice(0, -1)}-other`, bytes('not in the range'));
    });

    it('is read in key order', async () => {
      const page = await store.list(prefix, {});
      assert.deepEqual(
        page.items.map(({ key }) => key.slice(prefix.length)),
        names,
      );
      assert.equal(page.more, false);
      assert.equal(page.remaining, 0);
      assert.ok(page.items.every(({ revision }) => revision <= page.revision));
    });

    it('is read in pages of the same revision', async () => {
      const first = await store.list(prefix, { limit: 2 });
      assert.equal(first.remaining, 3);
      assert.equal(first.more, true);
      await store.create(`${prefix}b/d`, bytes('later'));
      const second = await store.list(prefix, { limit: 2, after: first.items[1]!.key, at: first.revision });
      assert.equal(second.remaining, 1);
      assert.equal(second.revision, first.revision);
      const third = await store.list(prefix, { limit: 2, after: second.items[1]!.key, at: first.revision });
      assert.deepEqual(
        [...first.items, ...second.items, ...third.items].map(({ key }) => key.slice(prefix.length)),
        names,
      );
      assert.equal(third.more, false);
    });

    it('can be read after any key, and is empty after its last key', async () => {
      assert.equal((await store.list(prefix, { after: '!' })).items.length, names.length);
      assert.deepEqual((await store.list(prefix, { after: `${prefix}e` })).items, []);
    });

    it('is read without the values', async () => {
      const { items } = await store.list(prefix, { keysOnly: true, limit: 1 });
      assert.equal(items[0]?.key, `${prefix}a`);
      assert.equal(items[0]?.value.length, 0);
    });

    it('is counted', async () => {
      assert.equal(await store.count(prefix), names.length);
      assert.equal(await store.count(`${prefix}nothing/`), 0);
    });
  });

  describe('a transaction', () => {
    it('makes all writes at one revision if all conditions hold', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      const revision = await written(
        store.transact(
          [
            { key: `${prefix}a`, revision: first },
            { key: `${prefix}b`, revision: 0 },
          ],
          [{ key: `${prefix}a` }, { key: `${prefix}b`, value: bytes('2') }],
        ),
      );
      assert.equal(await store.get(`${prefix}a`), undefined);
      assert.equal((await store.get(`${prefix}b`))?.revision, revision);
    });

    it('writes nothing if one condition fails, and returns the current values', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      const result = await store.transact(
        [
          { key: `${prefix}a`, revision: 0 },
          { key: `${prefix}b`, revision: 0 },
        ],
        [{ key: `${prefix}b`, value: bytes('2') }],
      );
      assert.deepEqual(result, {
        outcome: 'changed',
        current: [{ key: `${prefix}a`, value: bytes('1'), revision: first }, undefined],
      });
      assert.equal(await store.get(`${prefix}b`), undefined);
    });

    it('may have no conditions', async () => {
      await written(store.transact([], [{ key: `${prefix}a`, value: bytes('1') }]));
      await written(store.transact([], [{ key: `${prefix}absent` }]));
      assert.equal(textOf(await store.get(`${prefix}a`)), '1');
    });

    it('may have 127 conditions and 128 writes', async () => {
      const keys = Array.from({ length: 128 }, (_, i) => `${prefix}${i}`);
      await written(
        store.transact(
          keys.slice(1).map((key) => ({ key, revision: 0 })),
          keys.map((key) => ({ key, value: bytes('x') })),
        ),
      );
      assert.equal(await store.count(prefix), 128);
    });

    it('cannot have more writes', async () => {
      const writes = Array.from({ length: 129 }, (_, i) => ({ key: `${prefix}${i}`, value: bytes('x') }));
      await assert.rejects(store.transact([], writes), RangeError);
    });
  });

  describe('a time to live', () => {
    it('removes the key when it expires, and is removed by an update without one', async function () {
      this.timeout(15_000);
      await store.create(`${prefix}gone`, bytes('1'), 1);
      const kept = await written(store.create(`${prefix}kept`, bytes('1'), 1));
      await store.update(`${prefix}kept`, kept, bytes('2'));
      const changes = await take(store, prefix, kept, 2);
      assert.deepEqual(
        changes.map(({ key, value }) => [key.slice(prefix.length), value?.toString()]),
        [
          ['kept', '2'],
          ['gone', undefined],
        ],
      );
      assert.equal(textOf(await store.get(`${prefix}kept`)), '2');
    });
  });

  describe('a feed', () => {
    it('delivers every change after a revision once and in order', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      const second = await written(store.update(`${prefix}a`, first, bytes('2')));
      const third = await written(store.remove(`${prefix}a`, second));
      const fourth = await written(store.create(`${prefix}a`, bytes('3')));
      const a = `${prefix}a`;
      assert.deepEqual(await take(store, prefix, first, 3), [
        {
          key: a,
          revision: second,
          value: bytes('2'),
          createRevision: first,
          previous: { key: a, value: bytes('1'), revision: first },
        },
        {
          key: a,
          revision: third,
          value: undefined,
          createRevision: first,
          previous: { key: a, value: bytes('2'), revision: second },
        },
        { key: a, revision: fourth, value: bytes('3'), createRevision: fourth, previous: undefined },
      ]);
    });

    it('continues with new changes, and ends without an error when aborted', async () => {
      const after = await store.currentRevision();
      const taken = take(store, prefix, after, 2);
      await store.create(`${prefix}a`, bytes('1'));
      await store.create(`${prefix.slice(0, -1)}-other`, bytes('not under the prefix'));
      await store.create(`${prefix}b`, bytes('2'));
      assert.deepEqual(
        (await taken).map(({ key }) => key),
        [`${prefix}a`, `${prefix}b`],
      );
    });

    it('delivers the changes of one transaction in one batch', async () => {
      const after = await store.currentRevision();
      const writes = Array.from({ length: 20 }, (_, i) => ({ key: `${prefix}${i}`, value: Buffer.alloc(60_000) }));
      const revision = await written(store.transact([], writes));
      const abort = new AbortController();
      const batches: Batch[] = [];
      for await (const batch of store.feed(prefix, after, { signal: abort.signal })) {
        batches.push(batch);
        abort.abort();
      }
      assert.equal(batches.length, 1);
      assert.equal(batches[0]?.revision, revision);
      assert.equal(batches[0]?.changes.length, 20);
      assert.ok(batches[0]?.changes.every(({ previous }) => previous === undefined));
    });

    it('fails with CompactedError below the oldest revision, and delivers everything from it on', async () => {
      const first = await written(store.create(`${prefix}a`, bytes('1')));
      const second = await written(store.remove(`${prefix}a`, first));
      const third = await written(store.create(`${prefix}a`, bytes('2')));
      await compact(second);
      for (const after of [0, first - 1, first]) {
        await assert.rejects(
          take(store, prefix, after, 1),
          (error) => error instanceof CompactedError && error.compactRevision === second,
          `after ${after}`,
        );
      }
      assert.equal(await store.oldestRevision(), second);
      const changes = await take(store, prefix, second, 1);
      assert.deepEqual(
        changes.map(({ revision }) => revision),
        [third],
      );
      await assert.rejects(
        store.get(`${prefix}a`, first),
        (error) => error instanceof CompactedError && error.compactRevision === second,
      );
      await assert.rejects(store.list(prefix, { at: first }), CompactedError);
      assert.equal(await store.get(`${prefix}a`, second), undefined);
    });

    it('fails with FutureRevisionError for a future revision', async () => {
      const future = (await store.currentRevision()) + 1_000;
      await assert.rejects(take(store, prefix, future, 1), FutureRevisionError);
    });
  });

  it('has a constant id', async () => {
    const id = await store.clusterId();
    assert.notEqual(id, '');
    assert.equal(await store.clusterId(), id);
  });

  it('reports the revision of the last write as current', async () => {
    const revision = await written(store.create(`${prefix}a`, bytes('1')));
    assert.equal(await store.currentRevision(), revision);
  });
}
