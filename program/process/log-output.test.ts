import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

describe('logOutput', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'log-output-'));
  after(() => rmSync(folder, { recursive: true }));

  it('writes waiting lines in order when the disk has space again, up to a limit', () => {
    const file = path.join(folder, 'log');
    // A file that is not open for writing simulates a full disk, because every write to it fails. Later another file
    // takes its place.
    const code = `
      import { closeSync, openSync } from 'node:fs';
      import { logOutput } from ${JSON.stringify(path.join(import.meta.dirname, 'log-output.ts'))};
      const number = openSync('/dev/null', 'r');
      const output = logOutput(number);
      for (let i = 0; i < 2_000; i++) output.write(i + ' ' + 'x'.repeat(1_000) + '\\n');
      closeSync(number);
      if (openSync(${JSON.stringify(file)}, 'w') !== number) throw new Error('another number');
      output.write('the last line\\n');
      output.write('one more\\n');`;
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
    });
    assert.deepEqual([stderr, status], ['', 0]);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.equal(lines.at(-1), 'one more');
    const waited = lines.map((line) => line.split(' ')[0]).filter((word) => /^[0-9]+$/.test(word!));
    assert.ok(waited.length > 900 && waited.length < 1_100, `${waited.length} lines waited`);
    assert.deepEqual(
      waited,
      waited.map((_, i) => String(i)),
    );
  });
});
