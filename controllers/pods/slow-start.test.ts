import assert from 'node:assert/strict';
import { slowStart } from './slow-start.ts';

describe('slowStart', () => {
  it('doubles its batches up to a limit', async () => {
    const batches: number[] = [];
    let open = 0;
    const step = async () => {
      open++;
      await undefined;
      if (open > 0) batches.push(open);
      open = 0;
    };
    assert.deepEqual(await slowStart(12, step, 4), { done: 12, failure: undefined });
    assert.deepEqual(batches, [1, 2, 4, 4, 1]);
  });

  it('stops after the first batch with a failure', async () => {
    const asked: number[] = [];
    const failure = new Error('no');
    const result = await slowStart(100, async (index) => {
      asked.push(index);
      if (index === 2) throw failure;
    });
    assert.deepEqual(result, { done: 2, failure });
    assert.deepEqual(asked, [0, 1, 2]);
  });

  it('does nothing without items', async () => {
    assert.deepEqual(await slowStart(0, async () => assert.fail()), { done: 0, failure: undefined });
  });
});
