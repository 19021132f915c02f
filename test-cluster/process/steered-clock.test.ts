import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const module = import.meta.resolve('./steered-clock.ts');

/** The output of a program whose clock can be moved: one value for each line. */
function run(program: string): unknown[] {
  const source = `
    import { SteeredClock } from '${module}';
    const clock = new SteeredClock();
    clock.install();
    const { setTimeout: wait } = await import('node:timers/promises');
    const said = [];
    const say = (value) => said.push(value);
    ${program}
    process.stdout.write(JSON.stringify(said));
    process.exit(0);
  `;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' }));
}

describe('the steered clock', () => {
  it('advances Date and performance.now()', () => {
    const [day, elapsed, made] = run(`
      const [day, elapsed] = [Date.now(), performance.now()];
      await clock.advance(3_600_000);
      say(Date.now() - day);
      say(performance.now() - elapsed);
      say(new Date().getTime() - day);
    `) as number[];
    for (const ms of [day!, elapsed!, made!]) assert.ok(ms >= 3_600_000 && ms < 3_603_000, `${ms}`);
  });

  it('calls due timers in their order and keeps later timers', () => {
    const said = run(`
      setTimeout(() => say('b'), 20_000);
      setTimeout(say, 10_000, 'a');
      const cleared = setTimeout(() => say('cleared'), 15_000);
      clearTimeout(cleared);
      setTimeout(() => say('late'), 90_000);
      wait(25_000, 'c').then(say);
      await clock.advance(30_000);
      say('advanced');
      await clock.advance(70_000);
    `);
    assert.deepEqual(said, ['a', 'b', 'c', 'advanced', 'late']);
  });

  it('calls an interval once for each period that passes', () => {
    const [count, after] = run(`
      let count = 0;
      const timer = setInterval(() => count++, 60_000);
      await clock.advance(3_600_000);
      say(count);
      clearInterval(timer);
      await clock.advance(3_600_000);
      say(count);
    `) as number[];
    assert.ok(count! >= 5 && count! <= 60, `${count}`);
    assert.equal(after, count);
  });

  it('counts a refreshed timer from its refresh', () => {
    const said = run(`
      const timer = setTimeout(() => say('gone off'), 10_000);
      await clock.advance(8_000);
      timer.refresh();
      await clock.advance(8_000);
      say('not yet');
      await clock.advance(3_000);
    `);
    assert.deepEqual(said, ['not yet', 'gone off']);
  });

  it('rejects waits that are aborted', () => {
    const said = run(`
      const stop = new AbortController();
      const waiting = wait(10_000, undefined, { signal: stop.signal }).catch((error) => say(error.name));
      stop.abort();
      await waiting;
      await wait(10_000, undefined, { signal: stop.signal }).catch((error) => say(error.code));
    `);
    assert.deepEqual(said, ['AbortError', 'ABORT_ERR']);
  });
});
