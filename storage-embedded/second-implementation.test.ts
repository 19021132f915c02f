import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { MemoryStore } from '#server/cache/testing/memory-store.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';

/** One step of a history. There are few keys, so that steps use the same keys. */
type Step =
  | { readonly do: 'create' | 'update' | 'stale' | 'remove'; readonly key: number; readonly value: string }
  | { readonly do: 'two'; readonly key: number; readonly value: string }
  | { readonly do: 'compact'; readonly back: number }
  | { readonly do: 'look'; readonly back: number; readonly limit: number }
  | { readonly do: 'reopen' };

const key = fc.nat({ max: 5 });
const value = fc.string({ maxLength: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('create', 'update', 'stale', 'remove'), key, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('two'), key, value }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact'), back: fc.nat({ max: 6 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('look'), back: fc.nat({ max: 12 }), limit: fc.nat({ max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
) as fc.Arbitrary<Step>;

const PREFIX = '/registry/';

/** The result of a step as a comparable value. An error is represented by its name. */
async function outcome(store: ObjectStore & { compact(revision: number): unknown }, step: Step): Promise<unknown> {
  try {
    return await done(store, step);
  } catch (error) {
    return (error as Error).name;
  }
}

async function done(store: ObjectStore & { compact(revision: number): unknown }, step: Step): Promise<unknown> {
  const now = await store.currentRevision();
  switch (step.do) {
    case 'create':
      return store.create(`${PREFIX}${step.key}`, Buffer.from(step.value));
    case 'update':
    case 'stale': {
      const there = await store.get(`${PREFIX}${step.key}`);
      const expected = (there?.revision ?? now) - (step.do === 'stale' ? 1 : 0);
      return store.update(`${PREFIX}${step.key}`, expected, Buffer.from(step.value));
    }
    case 'remove': {
      const there = await store.get(`${PREFIX}${step.key}`);
      return store.remove(`${PREFIX}${step.key}`, there?.revision ?? now);
    }
    case 'two':
      return store.transact(
        [],
        [{ key: `${PREFIX}${step.key}`, value: Buffer.from(step.value) }, { key: `${PREFIX}${(step.key + 1) % 6}` }],
      );
    case 'compact':
      if (now - step.back > (await store.oldestRevision())) await store.compact(now - step.back);
      return 'compacted';
    case 'look':
      return look(store, Math.max(1, now - step.back), step.limit);
    case 'reopen':
      return 'opened again';
  }
}

/** The state at a revision, page by page, and all changes since. */
async function look(store: ObjectStore, at: number, limit: number): Promise<unknown> {
  const pages: unknown[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.list(PREFIX, { at, limit, ...(after === undefined ? {} : { after }) });
    pages.push(page);
    after = page.items.at(-1)?.key;
    if (!page.more) break;
  }
  const until = await store.currentRevision();
  const abort = new AbortController();
  const changes: unknown[] = [];
  const feed = store.feed(PREFIX, at, { signal: abort.signal });
  feed.requestProgress();
  for await (const batch of feed) {
    changes.push(...batch.changes);
    if (batch.revision >= until) abort.abort();
  }
  return { pages, changes, single: await store.get(`${PREFIX}1`, at) };
}

describe('an embedded store in a file and a simple store in memory', function () {
  this.timeout(120_000);
  let folder: string;
  let files = 0;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'store-'));
  });

  after(() => rm(folder, { recursive: true }));

  it('give the same answers after the same writes, even after the file is opened again', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const file = path.join(folder, String(files++));
        let store: EmbeddedStore = await openEmbeddedStore({ file, reserveBytes: 0 });
        const judge = new MemoryStore();
        try {
          for (const one of steps) {
            if (one.do === 'reopen') {
              await store.close();
              store = await openEmbeddedStore({ file, reserveBytes: 0 });
            }
            const [found, expected] = [await outcome(store, one), await outcome(judge, one)];
            await store.purged();
            assert.deepEqual(found, expected, JSON.stringify(one));
          }
        } finally {
          await store.close();
        }
      }),
      { numRuns: 60 },
    ));
});
