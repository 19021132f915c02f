import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { programToTest } from '#scripts/programs.ts';

describe('orchctl and orch-storage as processes', function () {
  this.timeout(60_000);

  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  for (const signal of signals)
    it(`end on ${signal} while they read input`, async () => {
      const { main, environment } = programToTest('cli/main');
      const words = ['set', 'image', '--local', '-f', '-', 'c=z'];
      const child = spawn(process.execPath, [main, ...words], {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, ...environment },
      });
      try {
        const ended = once(child, 'exit');
        // These are more bytes than fit into the pipe to a process, so the write ends only when the process reads.
        await new Promise((resolve) => child.stdin.write('# a comment\n'.repeat(500_000), resolve));
        child.kill(signal);
        assert.deepEqual(await ended, [130, null]);
      } finally {
        child.kill('SIGKILL');
      }
    });

  for (const [name, words, mark] of [
    ['cli/main', ['options'], 'error: '],
    ['storage/main', ['--help'], 'orch-storage: '],
  ] as const) {
    /** The output of a program whose standard output is written to `out`, and its exit code. */
    const ended = async (out: number | 'pipe') => {
      const { main, environment } = programToTest(name);
      const stdio = ['ignore', out, 'pipe'] as const;
      const child = spawn(process.execPath, [main, ...words], {
        stdio: [...stdio],
        env: { ...process.env, ...environment },
      });
      let said = '';
      child.stderr?.on('data', (piece) => (said += piece));
      child.stdout?.destroy();
      const [code] = await once(child, 'close');
      return { code, said };
    };

    it(`report a full disk: ${name}`, async function () {
      if (!existsSync('/dev/full')) this.skip();
      const file = openSync('/dev/full', 'w');
      try {
        const said = `${mark}write /dev/stdout: no space left on device\n`;
        assert.deepEqual(await ended(file), { code: 1, said });
      } finally {
        closeSync(file);
      }
    });

    it(`end without an error if the reader of their output has left: ${name}`, async () => {
      assert.deepEqual(await ended('pipe'), { code: 0, said: '' });
    });
  }
});
