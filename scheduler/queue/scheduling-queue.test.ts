import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Heap } from './heap.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

describe('SchedulingQueue', () => {
  let now: number;
  let queue: SchedulingQueue;
  beforeEach(() => {
    now = 1_000_000;
    queue = new SchedulingQueue({ now: () => now });
  });
  afterEach(() => queue.close());

  const ROOM = new Set(['a node', 'a pod left'] as const);
  const takeAll = () => {
    const taken: string[] = [];
    for (let key = queue.take(); key !== undefined; key = queue.take()) taken.push(key);
    return taken;
  };

  it('returns the pod with the highest priority first, and the oldest of these', () => {
    queue.add('a', 0);
    queue.add('b', 0);
    queue.add('c', 5);
    queue.add('a', 0);
    assert.deepEqual(takeAll(), ['c', 'a', 'b']);
  });

  it('holds a pod that fits on no node until a relevant change', () => {
    queue.add('a', 0);
    queue.failed(queue.take()!, ROOM);
    assert.deepEqual(queue.pending, { active: 0, backoff: 0, unschedulable: 1 });
    queue.changed('a pod came');
    assert.equal(queue.pending.unschedulable, 1, 'that is no room');
    now += 1500;
    queue.changed('a pod left');
    assert.deepEqual(takeAll(), ['a']);
  });

  it('doubles the backoff after each failure', () => {
    queue.add('a', 0);
    for (const waits of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      queue.failed(queue.take()!, ROOM);
      now += waits - 1;
      queue.changed('a node');
      assert.deepEqual(queue.pending, { active: 0, backoff: 1, unschedulable: 0 }, `${waits}`);
      now += 1;
      queue.add('a', 0);
      assert.equal(queue.pending.active, 1, `${waits}`);
    }
  });

  it('does not miss a change during a scheduling attempt', () => {
    queue.add('a', 0);
    queue.add('b', 0);
    const [a, b] = [queue.take()!, queue.take()!];
    queue.changed('a node');
    queue.add('b', 0);
    queue.failed(a, ROOM);
    queue.failed(b, new Set());
    assert.deepEqual(queue.pending, { active: 0, backoff: 2, unschedulable: 0 });
  });

  it('removes pods', () => {
    queue.add('a', 0);
    queue.remove('a');
    queue.add('b', 0);
    const b = queue.take()!;
    queue.remove(b);
    queue.failed(b, 'soon');
    assert.deepEqual(queue.pending, { active: 0, backoff: 0, unschedulable: 0 });
  });

  it('wakes a caller that waits for a pod', async () => {
    const stop = new AbortController();
    const woken = queue.ready(stop.signal);
    queue.add('a', 0);
    await woken;
    assert.equal(queue.take(), 'a');
    const ended = queue.ready(stop.signal);
    stop.abort();
    await ended;
  });
});

describe('Heap', () => {
  it('returns items in order, even after removals', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.array(fc.nat(60)), (values, removed) => {
        const heap = new Heap<{ key: string; value: number }>((a, b) => a.value - b.value);
        const expected = new Map<string, number>();
        for (const [i, value] of values.entries()) {
          heap.push({ key: `${i}`, value });
          expected.set(`${i}`, value);
        }
        for (const i of removed) {
          heap.remove(`${i}`);
          expected.delete(`${i}`);
        }
        const found: number[] = [];
        for (let item = heap.shift(); item !== undefined; item = heap.shift()) found.push(item.value);
        assert.deepEqual(
          found,
          [...expected.values()].sort((a, b) => a - b),
        );
      }),
    );
  });
});
