import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExpiringCache } from './expiring-cache.ts';

describe('ExpiringCache', () => {
  it('keeps each answer for its lifetime, even if the clock is set back', async () => {
    let now = 1_000_000;
    const cache = new ExpiringCache<string>(2, () => now);
    cache.set('a', 'short', 500);
    cache.set('b', 'long', 10_000);
    cache.set('none', 'x', 0);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('none')], ['short', 'long', undefined]);
    now -= 500_000;
    // If this never happens, mocha's time limit ends the test.
    while (cache.get('a') !== undefined) await sleep(20);
    assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 'long']);
    now += 510_000;
    assert.equal(cache.get('b'), undefined);
  });

  it('removes the oldest entry when it is full', () => {
    const cache = new ExpiringCache<number>(2);
    for (const [n, key] of ['a', 'b', 'c'].entries()) cache.set(key, n, 1000);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 1, 2]);
  });
});
