import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Verbosity } from './verbosity.ts';

describe('Verbosity', () => {
  const cases: readonly [value: number, level: string, logsRequests: boolean][] = [
    [0, 'info', false],
    [2, 'info', false],
    [3, 'info', true],
    [4, 'debug', true],
    [6, 'trace', true],
    [10, 'trace', true],
  ];
  for (const [value, level, logsRequests] of cases) {
    it(`level ${value} is ${level}${logsRequests ? ', with each request' : ''}, at the start or set later`, () => {
      const given = new Verbosity(value);
      assert.deepEqual([given.level, given.logsRequests], [level, logsRequests]);
      const set = new Verbosity(0);
      const log = pino({ level: 'info', enabled: false });
      set.steer(log);
      set.set(value);
      assert.equal(log.level, level);
    });
  }
});
