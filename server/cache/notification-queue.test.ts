import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { NotificationQueue } from './notification-queue.ts';
import type { CacheSubscription } from './subscription.ts';

function subscriber(signal: () => void): CacheSubscription {
  return { signal } as unknown as CacheSubscription;
}

function group(size: number, signal: () => void): ReadonlySet<CacheSubscription> {
  return new Set(Array.from({ length: size }, () => subscriber(signal)));
}

/** Holds the event loop. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('subscribers', () => {
  it('are all called, however many they are, also beside one that fails', async () => {
    const errors: unknown[] = [];
    const queue = new NotificationQueue((error) => errors.push(error));
    let called = 0;
    const many = new Set(group(300_000, () => called++));
    many.add(
      subscriber(() => {
        called++;
        throw new Error('it fails');
      }),
    );
    queue.addGroup(many, 1);
    queue.add(subscriber(() => called++));
    while (called < many.size + 1) await turn();
    assert.equal(called, many.size + 1);
    assert.equal(errors.length, 1);
  });

  it('of small groups come before those of large ones, and those before turns of their own', async () => {
    const queue = new NotificationQueue(assert.ifError);
    const called: string[] = [];
    queue.add(subscriber(() => called.push('turn')));
    queue.addGroup(
      group(17, () => called.push('large')),
      1,
    );
    queue.addGroup(
      group(1, () => called.push('small')),
      2,
    );
    await turn();
    assert.deepEqual(called, ['small', ...Array<string>(17).fill('large'), 'turn']);
  });

  it('all move on in every turn, whatever others take', async () => {
    const queue = new NotificationQueue(assert.ifError);
    const called: string[] = [];
    for (const [size, name] of [
      [2, 'small'],
      [17, 'large'],
    ] as const) {
      queue.addGroup(
        group(size, () => {
          called.push(name);
          work(10);
        }),
        1,
      );
    }
    queue.add(subscriber(() => called.push('turn')));
    await turn();
    assert.deepEqual(called, ['small', 'large', 'turn']);
  });

  it('hold up who waits for a notification by one slice of their turn', async () => {
    const queue = new NotificationQueue(assert.ifError);
    let called = 0;
    const slow = () => {
      called++;
      work(2);
    };
    queue.addGroup(group(100, slow), 7);
    await queue.notified(7);
    assert.ok(called >= 1 && called <= 5, `${called} before the caller`);
  });
});

describe('who waits for a notification', () => {
  it('has it after the watchers, for the change that they are called for', async () => {
    const queue = new NotificationQueue(assert.ifError);
    const called: string[] = [];
    queue.addGroup(
      group(1, () => called.push('watcher')),
      7,
    );
    assert.equal(queue.notified(6), undefined);
    await queue.notified(7)?.then(() => called.push('caller'));
    assert.deepEqual(called, ['watcher', 'caller']);
    assert.equal(queue.notified(7), undefined);
  });

  it('has it after one that fails', async () => {
    const errors: unknown[] = [];
    const queue = new NotificationQueue((error) => errors.push(error));
    queue.addGroup(
      group(1, () => {
        throw new Error('it fails');
      }),
      7,
    );
    await queue.notified(7);
    assert.equal(errors.length, 1);
  });
});
