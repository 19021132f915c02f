import assert from 'node:assert/strict';
import { TokenBuckets } from './token-buckets.ts';

describe('token buckets', () => {
  it('give a burst, then what the rate allows', () => {
    let now = 0;
    const buckets = new TokenBuckets(2, 3, 10, () => now);
    const takes = () => [1, 2, 3, 4].map(() => buckets.take('a'));
    assert.deepEqual(takes(), [true, true, true, false]);
    now += 500;
    assert.deepEqual(takes(), [true, false, false, false]);
    now += 60_000;
    assert.deepEqual(takes(), [true, true, true, false]);
  });

  it('count keys apart, and forget the one used least recently', () => {
    const buckets = new TokenBuckets(1, 1, 2, () => 0);
    assert.equal(buckets.take('a'), true);
    assert.equal(buckets.take('b'), true);
    assert.equal(buckets.take('a'), false);
    assert.equal(buckets.take('c'), true);
    assert.equal(buckets.take('b'), true);
  });
});
