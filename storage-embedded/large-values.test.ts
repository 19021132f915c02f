import assert from 'node:assert/strict';
import type { Change } from '#storage/object-store.ts';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';

const VALUE = Buffer.alloc(700_000, 'v');
const COUNT = 40;

/** The values have more bytes than are read at once or kept for feeds. */
describe('embedded store with large values', () => {
  let store: EmbeddedStore;

  before(async () => {
    store = await openEmbeddedStore({ file: undefined });
    for (let i = 0; i < COUNT; i++) await store.create(`/registry/${String(i).padStart(3, '0')}`, VALUE);
  });

  after(() => store.close());

  it('lists all values, and counts the values after a page', async () => {
    const whole = await store.list('/registry/', {});
    assert.equal(whole.items.length, COUNT);
    assert.equal(whole.more, false);
    const page = await store.list('/registry/', { limit: 25 });
    assert.deepEqual([page.items.length, page.remaining], [25, COUNT - 25]);
    const rest = await store.list('/registry/', { limit: 25, at: page.revision, after: page.items.at(-1)!.key });
    assert.deepEqual([rest.items.length, rest.remaining], [COUNT - 25, 0]);
  });

  it('feeds all changes in complete revisions', async () => {
    const writes = [1, 2].map((i) => ({ key: `/registry/both-${i}`, value: VALUE }));
    const last = await store.transact([], writes);
    const until = last.outcome === 'written' ? last.revision : 0;
    const abort = new AbortController();
    const changes: Change[] = [];
    for await (const batch of store.feed('/registry/', 1, { signal: abort.signal })) {
      changes.push(...batch.changes);
      assert.equal(batch.changes.at(-1)?.revision, batch.revision);
      if (batch.revision === until) abort.abort();
    }
    assert.equal(changes.length, COUNT + 2);
    assert.ok(changes.every(({ value }) => value?.equals(VALUE)));
  });
});
