import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programToTest } from '../scripts/programs.ts';

describe('orchctl as a process', function () {
  this.timeout(60_000);

  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  for (const signal of signals)
    it(`ends at ${signal} while it reads its input`, async () => {
      const { main, environment } = programToTest('cli/main');
      const words = ['set', 'image', '--local', '-f', '-', 'c=z'];
      const child = spawn(process.execPath, [main, ...words], {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, ...environment },
      });
      try {
        const ended = once(child, 'exit');
        // more than waits on the way to a process: it is reading when all of that is gone
        await new Promise((resolve) => child.stdin.write('# a comment\n'.repeat(500_000), resolve));
        child.kill(signal);
        assert.deepEqual(await ended, [130, null]);
      } finally {
        child.kill('SIGKILL');
      }
    });
});
