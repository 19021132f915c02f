import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { atMoment } from './at-moment.ts';

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe('atMoment', () => {
  it('never calls back before the moment, even if it was called late in a long turn', async () => {
    await sleep(1);
    block(50);
    const moment = performance.now() + 20.5;
    await new Promise<void>((resolve) => atMoment(moment, resolve));
    assert.ok(performance.now() >= moment);
  });

  it('calls back soon if the moment has passed', () => new Promise<void>((resolve) => atMoment(-1, resolve)));

  it('can be cancelled', async () => {
    let done = false;
    const callOff = atMoment(performance.now() + 5, () => {
      done = true;
    });
    callOff();
    await sleep(20);
    assert.equal(done, false);
  });
});
