import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { CacheSubscription } from './subscription.ts';
import { Waker } from './waker.ts';

describe('subscribers', () => {
  it('are all called, however many they are, also beside one that fails', async () => {
    const errors: unknown[] = [];
    const waker = new Waker((error) => errors.push(error));
    let called = 0;
    const subscriber = (fails: boolean) => {
      const signal = () => {
        called++;
        if (fails) throw new Error('it fails');
      };
      return { signal } as unknown as CacheSubscription;
    };
    const many = new Set(Array.from({ length: 300_000 }, (_, n) => subscriber(n === 100)));
    waker.addAll(many);
    waker.add(subscriber(false));
    while (called < many.size + 1) await turn();
    assert.equal(called, many.size + 1);
    assert.equal(errors.length, 1);
  });
});
