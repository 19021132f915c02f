import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Throttle } from './throttle.ts';

describe('Throttle', () => {
  const cases: readonly [chunks: readonly number[], bytesPerSecond: number, atLeastMs: number][] = [
    [[100], 100_000, 0],
    [[5_000], 10_000, 400],
    [[1_000, 1_000, 1_000, 1_000], 10_000, 300],
    [[2], 10, 100],
  ];
  for (const [chunks, rate, atLeastMs] of cases) {
    it(`takes at least ${atLeastMs} ms for ${chunks.join(' + ')} bytes at ${rate} a second, and loses none`, async () => {
      const throttle = new Throttle(rate);
      const started = performance.now();
      const sent = chunks.map((length, i) => Buffer.alloc(length, i));
      for (const chunk of sent) throttle.write(chunk);
      throttle.end();
      assert.deepEqual(await buffer(throttle), Buffer.concat(sent));
      // Timers may fire up to a millisecond early.
      assert.ok(performance.now() - started >= atLeastMs - 10);
    });
  }

  it('makes its source wait, and stops at once when it is destroyed', async () => {
    const source = new PassThrough();
    const throttle = new Throttle(1);
    source.pipe(throttle).resume();
    for (let i = 0; i < 10; i++) source.write(Buffer.alloc(100_000));
    await sleep(20);
    assert.ok(source.writableNeedDrain);
    throttle.destroy();
    assert.ok(throttle.destroyed);
  });
});
