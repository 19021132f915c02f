import assert from 'node:assert/strict';
import { TokenBuckets } from './token-buckets.ts';

describe('TokenBuckets', () => {
  it('allows a burst, then the configured rate', () => {
    let now = 0;
    const buckets = new TokenBuckets(2, 3, 10, () => now);
    const takes = () => [1, 2, 3, 4].map(() => buckets.take('a'));
    assert.deepEqual(takes(), [true, true, true, false]);
    now += 500;
    assert.deepEqual(takes(), [true, false, false, false]);
    now += 60_000;
    assert.deepEqual(takes(), [true, true, true, false]);
  });

  it('counts each key separately and removes the least recently used key', () => {
    const buckets = new TokenBuckets(1, 1, 2, () => 0);
    assert.equal(buckets.take('a'), true);
    assert.equal(buckets.take('b'), true);
    assert.equal(buckets.take('a'), false);
    assert.equal(buckets.take('c'), true);
    assert.equal(buckets.take('b'), true);
  });
});
