import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../testing/wait-until.ts';
import { WorkQueue } from './work-queue.ts';

describe('work queue', () => {
  it('works on a key once, however often it was added', async () => {
    const done: string[] = [];
    const queue = new WorkQueue();
    const stop = new AbortController();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    const running = queue.run(async (key) => void done.push(key), stop.signal);
    await waitUntil('all are done', () => done.length === 3);
    stop.abort();
    await running;
    assert.deepEqual(done, ['a', 'b', 'c']);
  });

  it('works on a key again that is added meanwhile, never twice at once', async () => {
    const queue = new WorkQueue({ workers: 4 });
    const stop = new AbortController();
    const now = new Map<string, number>();
    let runs = 0;
    let most = 0;
    const running = queue.run(async (key) => {
      now.set(key, (now.get(key) ?? 0) + 1);
      most = Math.max(most, ...now.values());
      runs++;
      if (runs < 5) for (let i = 0; i < 3; i++) queue.add(key);
      await sleep(2);
      now.set(key, now.get(key)! - 1);
    }, stop.signal);
    queue.add('a');
    await waitUntil('it ran five times', () => runs === 5);
    await sleep(20);
    stop.abort();
    await running;
    assert.equal(most, 1);
    assert.equal(runs, 5);
  });

  it('works on as many keys at once as it has workers', async () => {
    const queue = new WorkQueue({ workers: 3 });
    const stop = new AbortController();
    let atOnce = 0;
    let most = 0;
    let done = 0;
    for (let i = 0; i < 12; i++) queue.add(`key-${i}`);
    const running = queue.run(async () => {
      most = Math.max(most, ++atOnce);
      await sleep(1);
      atOnce--;
      done++;
    }, stop.signal);
    await waitUntil('all are done', () => done === 12);
    stop.abort();
    await running;
    assert.equal(most, 3);
  });

  it('tries a failing key again after a wait that doubles, and forgets failures with the first success', async () => {
    const waits: number[] = [];
    let calls = 0;
    const queue = new WorkQueue({ firstRetryMs: 1, onError: (_key, _error, _failures, wait) => waits.push(wait) });
    const stop = new AbortController();
    const running = queue.run(async () => {
      calls++;
      if (calls <= 4 || calls === 6) throw new Error('not yet');
      if (calls === 5) return { afterMs: 1 };
    }, stop.signal);
    queue.add('a');
    await waitUntil('it failed, succeeded, failed, succeeded', () => calls === 7);
    stop.abort();
    await running;
    assert.deepEqual(waits, [1, 2, 4, 8, 1]);
  });

  it('slows down the retries of all keys together', () => {
    const waits: number[] = [];
    const queue = new WorkQueue({
      workers: 100,
      retriesPerSecond: 1,
      retryBurst: 2,
      onError: (...args) => waits.push(args[3]),
    });
    const stop = new AbortController();
    for (let i = 0; i < 5; i++) queue.add(`key-${i}`);
    const running = queue.run(async () => {
      throw new Error('no');
    }, stop.signal);
    return waitUntil('all failed', () => waits.length >= 5).then(async () => {
      stop.abort();
      await running;
      assert.ok(waits[4]! > 1000, String(waits));
    });
  });

  it('lets what was begun come to its end, and begins nothing after the signal', async () => {
    const queue = new WorkQueue();
    const stop = new AbortController();
    let ended = 0;
    queue.add('a');
    queue.add('b');
    const running = queue.run(async () => {
      stop.abort();
      await sleep(5);
      ended++;
    }, stop.signal);
    await running;
    assert.equal(ended, 1);
    queue.add('c');
    queue.addAfter('d', 1);
    assert.equal(queue.depth, 0);
  });

  it('keeps the shortest of several waits', async () => {
    const queue = new WorkQueue();
    const stop = new AbortController();
    const done: string[] = [];
    const running = queue.run(async (key) => void done.push(key), stop.signal);
    queue.addAfter('a', 60_000);
    queue.addAfter('a', 5);
    queue.addAfter('a', 60_000);
    await waitUntil('it is done', () => done.length === 1);
    stop.abort();
    await running;
  });
});
