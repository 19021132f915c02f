import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { NotificationQueue } from './notification-queue.ts';
import type { CacheSubscription } from './subscription.ts';

function subscriber(signal: () => void): CacheSubscription {
  return { signal } as unknown as CacheSubscription;
}

function group(size: number, signal: () => void): ReadonlySet<CacheSubscription> {
  return new Set(Array.from({ length: size }, () => subscriber(signal)));
}

describe('NotificationQueue', () => {
  // A stall of the machine must not end a slice, so the test itself says how much time passes.
  let time: number;
  const work = (ms: number) => {
    time += ms;
  };

  beforeEach(() => {
    time = 0;
    mock.method(performance, 'now', () => time);
  });
  afterEach(() => mock.restoreAll());

  it('calls all of 300 000 subscribers, even if one of them throws', async () => {
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

  it('calls small groups before large groups, and large groups before single subscriptions', async () => {
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

  it('calls subscribers of each kind of group in every turn, even if they are slow', async () => {
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

  it('delays a caller of notified() by one time slice only', async () => {
    const queue = new NotificationQueue(assert.ifError);
    let called = 0;
    const slow = () => {
      called++;
      work(2);
    };
    queue.addGroup(group(100, slow), 7);
    await queue.notified(7);
    assert.equal(called, 4);
  });
});

describe('a caller that waits for a notification', () => {
  it('continues after the watchers that are called for the same change', async () => {
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

  it('continues even if a watcher throws', async () => {
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
