import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pino } from 'pino';
import { Verbosity } from './server-log.ts';

describe('how much is logged', () => {
  const cases: readonly [value: number, level: string, tellsOfRequests: boolean][] = [
    [0, 'info', false],
    [2, 'info', false],
    [3, 'info', true],
    [4, 'debug', true],
    [6, 'trace', true],
    [10, 'trace', true],
  ];
  for (const [value, level, tellsOfRequests] of cases) {
    it(`${value} is ${level}${tellsOfRequests ? ', with each request' : ''}, also when it is set later`, () => {
      const given = new Verbosity(value);
      assert.deepEqual([given.level, given.tellsOfRequests], [level, tellsOfRequests]);
      const set = new Verbosity(0);
      const log = pino({ level: 'info', enabled: false });
      set.steer(log);
      set.set(value);
      assert.equal(log.level, level);
    });
  }
});

describe('what a process says last', () => {
  for (const format of ['json', 'text']) {
    it(`is out before it ends, however busy its threads are: ${format}`, () => {
      const code = `
        import { pbkdf2 } from 'node:crypto';
        import { serverLog } from ${JSON.stringify(path.join(import.meta.dirname, 'server-log.ts'))};
        const log = serverLog('program', '${format}', 'info');
        pbkdf2('', '', 500_000, 64, 'sha512', () => {});
        for (const word of ['first', 'second', 'third']) log.info(word);
        log.fatal('last');
        process.exit(1);`;
      const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        encoding: 'utf8',
        env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
        timeout: 60_000,
      });
      assert.deepEqual([stdout.match(/first|second|third|last/g), status], [['first', 'second', 'third', 'last'], 1]);
    });
  }
});
