import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';

/** A device that is always full. */
const FULL = '/dev/full';

describe('the last log lines of a process', () => {
  for (const format of ['json', 'text']) {
    it(`are written before the process ends, even if its threads are busy: ${format}`, () => {
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

  for (const format of ['json', 'text']) {
    it(`are lost if the disk is full, and the process continues: ${format}`, function () {
      if (!existsSync(FULL)) return this.skip();
      const code = `
        import { serverLog } from ${JSON.stringify(path.join(import.meta.dirname, 'server-log.ts'))};
        import { OutputTarget } from ${JSON.stringify(path.join(import.meta.dirname, 'audit/log-sink.ts'))};
        const log = serverLog('program', '${format}', 'info');
        for (let i = 0; i < 10_000; i++) log.info('x'.repeat(1_000));
        await new OutputTarget(process.stdout.fd).append(Buffer.from('an event')).catch(({ code }) => console.error(code));
        await new Promise((resolve) => setTimeout(resolve, 50));
        console.error('goes on');`;
      const full = openSync(FULL, 'w');
      const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
        timeout: 60_000,
      });
      closeSync(full);
      assert.deepEqual([stderr, status], ['ENOSPC\ngoes on\n', 0]);
    });
  }
});
