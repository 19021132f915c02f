import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Tests that count their runs in a file in the same folder. */
const FILES: Readonly<Record<string, string>> = {
  'once.spec.cjs': `it('is so', () => {}); it('is so', () => {});`,
  'hook.spec.cjs': `describe('begins late', () => { before(() => { if (runs === 1) throw new Error('busy'); }); it('is so', () => {}); });`,
  'never.spec.cjs': `it('is never so', () => { throw new Error('no'); }); it('is so', () => {});`,
};

const COUNTED = `const { existsSync, appendFileSync, readFileSync } = require('node:fs');
appendFileSync(__filename + '.runs', 'x'); const runs = readFileSync(__filename + '.runs').length;\n`;

describe('retries of failed test files', function () {
  this.timeout(60_000);
  const cases: readonly [
    what: string,
    stages: readonly (readonly (readonly string[])[])[],
    again: boolean,
    expected: { status: number; passing: string; failing: string | undefined },
  ][] = [
    ['are not needed', [[['once']]], true, { status: 0, passing: '2 passing', failing: undefined }],
    ['succeed', [[['once', 'hook']]], true, { status: 0, passing: '3 passing', failing: '0 failing' }],
    ['fail again', [[['once', 'hook', 'never']]], true, { status: 1, passing: '4 passing', failing: '1 failing' }],
    [
      'are not run again if second tries are not wanted',
      [[['once', 'hook']]],
      false,
      { status: 1, passing: '2 passing', failing: '1 failing' },
    ],
    [
      'are counted together if several runs go on at once',
      [[['once'], ['never']], [['hook']]],
      true,
      { status: 1, passing: '4 passing', failing: '1 failing' },
    ],
    [
      'are counted together if no file failed',
      [[['once']], [['once']]],
      true,
      { status: 0, passing: '4 passing', failing: '0 failing' },
    ],
  ];
  for (const [what, stages, again, expected] of cases)
    it(`${what}: ${JSON.stringify(stages)}`, () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'run-tests-'));
      try {
        for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), COUNTED + text);
        const common = ['--no-config', '--no-color', `--reporter=${path.join(import.meta.dirname, 'second-tries.ts')}`];
        const written = stages.map((runs) =>
          runs.map((names) => [...common, ...names.map((name) => path.join(folder, `${name}.spec.cjs`))]),
        );
        const program = `import { runTests } from ${JSON.stringify(path.join(import.meta.dirname, 'run-tests.ts'))};
          process.exitCode = await runTests(${JSON.stringify(written)}, process.env, ${again ? JSON.stringify(common) : undefined});`;
        const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
          encoding: 'utf8',
        });
        const last = (pattern: RegExp) => stdout.match(pattern)?.at(-1);
        assert.deepEqual({ status, passing: last(/\d+ passing/g), failing: last(/\d+ failing/g) }, expected);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
});
