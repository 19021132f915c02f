import assert from 'node:assert/strict';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  it('allows a burst, then the configured rate', () => {
    let now = 0;
    const bucket = new TokenBucket(2, 3, () => now);
    const takes = () => [1, 2, 3, 4].map(() => bucket.take());
    assert.deepEqual(takes(), [true, true, true, false]);
    now += 500;
    assert.deepEqual(takes(), [true, false, false, false]);
    now += 60_000;
    assert.deepEqual(takes(), [true, true, true, false]);
  });

  it('takes several tokens at once, or none if there are too few', () => {
    let now = 0;
    const bucket = new TokenBucket(2, 3, () => now);
    assert.deepEqual([bucket.take(2), bucket.take(2), bucket.take(1)], [true, false, true]);
    now += 1000;
    assert.equal(bucket.take(2), true);
  });

  it('reserves future tokens and returns the time to wait', () => {
    let now = 0;
    const bucket = new TokenBucket(10, 2, () => now);
    assert.deepEqual([bucket.reserve(), bucket.reserve(), bucket.reserve(), bucket.reserve()], [0, 0, 100, 200]);
    now += 200;
    assert.equal(bucket.take(), false);
    now += 100;
    assert.equal(bucket.take(), true);
  });
});
