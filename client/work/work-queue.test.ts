import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../testing/wait-until.ts';
import { WorkQueue } from './work-queue.ts';

describe('WorkQueue', () => {
  it('processes a key once, even if it is added several times', async () => {
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

  it('processes a key again if it is added during its run, but never twice at the same time', async () => {
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

  it('processes as many keys at the same time as it has workers', async () => {
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

  it('retries a failing key with a delay that doubles, and resets the delay after a success', async () => {
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

  it('limits the retries of all keys together', () => {
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

  it('finishes running work after the signal aborts, but starts nothing new', async () => {
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

  it('uses the shortest delay of a key', async () => {
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
