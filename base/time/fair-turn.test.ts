import assert from 'node:assert/strict';
import { fairTurn, inFairTurns, turnIfDue } from './fair-turn.ts';
import type { Steps } from './steps.ts';

/** Blocks for this time, in milliseconds. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('fairTurn', () => {
  it('resumes one waiting task for each turn of the event loop, in the order of their calls', async () => {
    const order: string[] = [];
    const large = async (name: string) => {
      for (let piece = 1; piece <= 2; piece++) {
        await fairTurn();
        order.push(`${name}${piece}`);
      }
    };
    const done = Promise.all([large('a'), large('b')]);
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      order.push('-');
    }
    await done;
    assert.equal(order.join(' '), 'a1 - b1 - a2 - b2');
  });
});

describe('turnIfDue', () => {
  it('waits only if the current turn has taken long, and counts the work of other tasks too', async () => {
    await fairTurn();
    assert.equal(turnIfDue(), undefined);
    work(10);
    assert.notEqual(turnIfDue(), undefined);
    await turnIfDue();
    assert.equal(turnIfDue(), undefined);
  });
});

describe('inFairTurns', () => {
  it('lets other tasks run between two long steps', async () => {
    const order: string[] = [];
    function* steps(): Steps<string> {
      for (const step of ['one', 'two']) {
        work(10);
        order.push(step);
        yield;
      }
      return 'done';
    }
    setImmediate(() => order.push('others'));
    assert.equal(await inFairTurns(steps()), 'done');
    assert.deepEqual(order, ['one', 'others', 'two']);
  });
});
