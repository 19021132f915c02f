import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

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
