import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** An interval that is so long that a worker loads within sixty of them. */
const BEAT_MS = 200;

describe('a worker that starts to serve but does not answer its supervisor', () => {
  it('is replaced after ten unanswered questions, but only after sixty while it starts', async () => {
    const program = path.resolve(import.meta.dirname, '../testing/silent-worker.ts');
    const supervisor = spawn(process.execPath, [program, String(BEAT_MS)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    for await (const line of createInterface({ input: supervisor.stdout })) {
      lines.push(line);
      if (line.includes('another one takes its place')) supervisor.kill('SIGKILL');
    }
    const asked = lines.filter((line) => line === 'asked').length;
    // One may be on its way when the worker listens.
    assert.ok(asked >= 9 && asked <= 12, `asked ${asked} times: ${lines.join('\n')}`);
    const [last] = lines.filter((line) => line.includes('another one takes its place'));
    const { worker, exit, reason } = JSON.parse(last!);
    assert.deepEqual({ worker, exit, reason }, { worker: 1, exit: 'SIGKILL', reason: 'frozen' });
  });
});
