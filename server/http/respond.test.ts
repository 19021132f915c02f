import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { WatchObjects } from './testing/count-watch-objects.ts';
import { WatchBench } from './testing/watch-bench.ts';

describe('a watch', () => {
  const ends: [what: string, steps: ((bench: WatchBench) => void)[], counts: number[]][] = [
    ['is counted as open after it is answered', [(bench) => bench.answer()], [1, 1, 0]],
    ['ends when its client leaves', [(bench) => bench.answer(), (bench) => bench.response.leave()], [0, 0, 1]],
    ['ends when the server shuts down', [(bench) => bench.answer(), (bench) => bench.leaving.abort()], [0, 0, 1]],
    [
      'does not begin for a client that has left',
      [(bench) => bench.response.leave(), (bench) => bench.answer()],
      [0, 0, 1],
    ],
  ];
  for (const [what, steps, counts] of ends) {
    it(what, async () => {
      const bench = new WatchBench();
      for (const step of steps) {
        step(bench);
        await turn();
      }
      assert.deepEqual(bench.counts, counts);
      bench.response.leave();
      assert.deepEqual(bench.counts, [0, 0, 1]);
    });
  }

  it('keeps neither the query of its request nor a promise in memory while it is open', async () => {
    const counting = new Worker(new URL('testing/count-watch-objects.ts', import.meta.url));
    const [{ queries, promises, open }] = (await once(counting, 'message')) as [WatchObjects];
    assert.equal(open, 100);
    assert.ok(queries < 0.5, `${queries} queries each`);
    // One promise belongs to the test, and one to the list recorder of each responder.
    assert.ok(promises < 3, `${promises} promises each`);
  });
});
