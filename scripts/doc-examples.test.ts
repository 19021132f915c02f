import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DocExample, examplesIn, examplesOf, moduleOf } from './doc-examples.ts';

const root = path.resolve(import.meta.dirname, '..');

describe('examples in docstrings', function () {
  this.timeout(60_000);
  const examples = examplesIn(root, ['base', 'schema', 'client', 'program']);
  const byFile = new Map<string, DocExample[]>();
  for (const one of examples) byFile.set(one.file, [...(byFile.get(one.file) ?? []), one]);
  const modules = new Map<string, string>();
  let folder: string;

  before(async () => {
    // inside the project, so that packages are imported by name
    mkdirSync(path.join(root, '.run'), { recursive: true });
    folder = mkdtempSync(path.join(root, '.run/examples-'));
    for (const [i, [file, own]] of [...byFile].entries()) {
      const exported = Object.keys(await import(pathToFileURL(path.join(root, file)).href));
      modules.set(file, path.join(folder, `${i}.ts`));
      writeFileSync(modules.get(file)!, moduleOf(own, exported));
    }
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { noEmit: true, noUnusedLocals: true },
        include: ['*.ts'],
      }),
    );
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('exist', () => assert.ok(examples.length > 40, `${examples.length}`));

  it('have valid types', () => {
    const { stdout, status } = spawnSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder], {
      encoding: 'utf8',
    });
    assert.equal(stdout, '');
    assert.equal(status, 0);
  });

  for (const [file, own] of byFile) {
    it(`return the results that they show: ${file}`, async () => {
      const { checks } = await import(pathToFileURL(modules.get(file)!).href);
      for (const [i, check] of checks.entries()) {
        const [value, result] = check();
        assert.deepEqual(value, result, `${file}:${own[i]!.line}`);
      }
    });
  }
});

describe('examplesOf', () => {
  const line = 1;
  const file = 'a.ts';
  const cases: readonly (readonly [what: string, source: string, found: readonly DocExample[]])[] = [
    ['one line', '/** @example one() // => 1 */', [{ file, line, code: 'one()', result: '1' }]],
    [
      'several lines',
      '/**\n * @example\n * one(\n *   2)\n * // => [1,\n * // 2]\n */',
      [{ file, line: 2, code: 'one(\n  2)', result: '[1,\n2]' }],
    ],
    [
      'two examples',
      '/**\n * @example one() // => 1\n * @example two() // => 2\n */',
      [
        { file, line: 2, code: 'one()', result: '1' },
        { file, line: 3, code: 'two()', result: '2' },
      ],
    ],
    ['an example without a result', '/** @example await client.list() */', []],
  ];
  for (const [what, source, found] of cases) {
    it(`finds ${what}`, () => assert.deepEqual(examplesOf(file, source), found));
  }
});
