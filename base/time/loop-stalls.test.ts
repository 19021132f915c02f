import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { LoopStalls, withinTurns } from './loop-stalls.ts';

/** Blocks the event loop for this time, in milliseconds. */
function stall(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('LoopStalls and withinTurns', () => {
  it('LoopStalls records when each stall happened', () => {
    let now = 0;
    const stalls = new LoopStalls(() => now);
    const pass = (ms: number) => {
      for (const end = now + ms; now < end; stalls.look()) now += 50;
    };
    pass(1_000);
    assert.equal(stalls.within(1_000), 0);
    now += 3_050;
    assert.equal(stalls.within(10_000), 3_000, 'also before the loop has turned again');
    stalls.look();
    assert.equal(stalls.within(10_000), 3_000);
    pass(2_000);
    assert.equal(stalls.within(10_000), 3_000);
    assert.equal(stalls.within(3_000), 1_000, 'the part of it that was then');
    assert.equal(stalls.within(2_000), 0);
    now += 550;
    stalls.look();
    assert.equal(stalls.within(Number.POSITIVE_INFINITY), 3_500);
  });

  it('withinTurns does not count stalls towards the time limit', async () => {
    const answer = (async () => {
      // Three turns of the loop, each longer than the whole time limit.
      for (let i = 0; i < 3; i++) {
        await turn();
        stall(300);
      }
      return 'answered';
    })();
    const asked = withinTurns(answer, 200, 'late');
    assert.equal(await asked, 'answered');
  });

  it('withinTurns returns the fallback value after the time limit', async () => {
    const started = performance.now();
    assert.equal(await withinTurns(new Promise<string>(() => {}), 200, 'late'), 'late');
    assert.ok(performance.now() - started >= 195);
    await assert.rejects(withinTurns(Promise.reject(new Error('no')), 200, undefined), /no/);
  });
});
