import assert from 'node:assert/strict';
import { atOnce } from './at-once.ts';

describe('atOnce', () => {
  it('processes all items with at most the given number at the same time', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const failure = await atOnce([1, 2, 3, 4, 5], 2, async (item) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      done.push(item);
      if (item % 2 === 0) throw new Error(String(item));
    });
    assert.deepEqual([most, done], [2, [1, 2, 3, 4, 5]]);
    assert.equal((failure as Error).message, '2');
    assert.equal(await atOnce([], 2, () => Promise.reject(new Error('none'))), undefined);
  });
});
