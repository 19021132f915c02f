import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { NotificationQueue } from './notification-queue.ts';
import type { CacheSubscription } from './subscription.ts';

describe('subscribers', () => {
  it('are all called, however many they are, also beside one that fails', async () => {
    const errors: unknown[] = [];
    const queue = new NotificationQueue((error) => errors.push(error));
    let called = 0;
    const subscriber = (fails: boolean) => {
      const signal = () => {
        called++;
        if (fails) throw new Error('it fails');
      };
      return { signal } as unknown as CacheSubscription;
    };
    const many = new Set(Array.from({ length: 300_000 }, (_, n) => subscriber(n === 100)));
    queue.addAll(many);
    queue.add(subscriber(false));
    while (called < many.size + 1) await turn();
    assert.equal(called, many.size + 1);
    assert.equal(errors.length, 1);
  });
});
