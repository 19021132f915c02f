import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const TESTS = `
let tries = 0;
describe('something', () => {
  it('is always so', () => {});
  it('is so the second time', () => { if (tries++ === 0) throw new Error('too early'); });
  it('is never so', () => { throw new Error('no, ' + 'never'); });
});`;

describe('the reporter of retried tests', function () {
  this.timeout(60_000);

  it('lists each retried test with its error and counts them', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'second-tries-'));
    try {
      const file = path.join(folder, 'some.spec.cjs');
      writeFileSync(file, TESTS);
      const reporter = path.join(import.meta.dirname, 'second-tries.ts');
      const mocha = path.resolve(import.meta.dirname, '../node_modules/mocha/bin/mocha.js');
      const { stdout, status } = spawnSync(
        process.execPath,
        [mocha, '--no-config', '--no-color', '--retries=1', `--reporter=${reporter}`, file],
        { encoding: 'utf8' },
      );
      const lines = stdout.replaceAll(/ \(\d+ms\)/g, '').split('\n');
      assert.deepEqual(
        lines.filter((line) => /tried again|too early|no, never|passing|failing|^ {3}something/.test(line)),
        [
          '== is tried again: something is so the second time',
          '   Error: too early',
          '== is tried again: something is never so',
          '   Error: no, never',
          '  2 passing',
          '  1 failing',
          '     Error: no, never',
          '== tests that were tried again: 2',
          '   something is so the second time',
          '   something is never so',
        ],
      );
      assert.equal(status, 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
