import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from './in-parallel.ts';

/** The started items, and the greatest number that ran at once. */
async function run(items: readonly number[], workers: number, failing?: number) {
  const begun: number[] = [];
  let [now, most] = [0, 0];
  const error = await inParallel(items, workers, async (item) => {
    begun.push(item);
    most = Math.max(most, ++now);
    await sleep(2);
    now--;
    if (item === failing) throw new Error(`no ${item}`);
  }).catch((thrown: Error) => thrown.message);
  assert.equal(now, 0, 'nothing goes on behind our back');
  return { begun, most, error };
}

describe('inParallel', () => {
  const items = [1, 2, 3, 4, 5, 6, 7];
  const cases: readonly [items: readonly number[], workers: number, most: number][] = [
    [items, 1, 1],
    [items, 3, 3],
    [items, 100, 7],
    [[], 3, 0],
  ];
  for (const [of, workers, most] of cases) {
    it(`does each of ${of.length} items once with ${workers} workers`, async () =>
      assert.deepEqual(await run(of, workers), { begun: of, most, error: undefined }));
  }

  it('starts no more items after one fails', async () => {
    assert.deepEqual(await run(items, 1, 3), { begun: [1, 2, 3], most: 1, error: 'no 3' });
    const { begun, error } = await run(items, 2, 1);
    assert.equal(error, 'no 1');
    assert.ok(begun.length < items.length);
  });
});
