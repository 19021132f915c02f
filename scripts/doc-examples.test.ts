import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type DocExample,
  documentedSources,
  examplesIn,
  examplesOf,
  functionsWithoutExample,
  moduleOf,
} from './doc-examples.ts';

const root = path.resolve(import.meta.dirname, '..');

describe('examples in docstrings', function () {
  this.timeout(60_000);
  const examples = examplesIn(root, ['base', 'schema', 'client', 'program']);
  const byFile = new Map<string, DocExample[]>();
  for (const one of examples) byFile.set(one.file, [...(byFile.get(one.file) ?? []), one]);
  const modules = new Map<string, string>();
  let folder: string;

  before(async () => {
    // The folder is inside the project, so that packages can be imported by name.
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

describe('exported functions with more than two arguments', () => {
  it('have an example in base, schema and client', () => {
    const missing = documentedSources(root, ['base', 'schema', 'client']).flatMap((file) =>
      functionsWithoutExample(readFileSync(path.join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  const cases: readonly [what: string, source: string, found: readonly string[]][] = [
    ['two arguments', 'export function one(a: A, b: B): C {}', []],
    ['no docstring', 'export async function one(a: A, b: Map<C, D>, c = 1): E {}', ['one']],
    [
      'a docstring without an example',
      '/** Does it. */\nexport function* one<T>(\n  a: A,\n  { b, c }: B,\n  d: D,\n) {}',
      ['one'],
    ],
    ['an example', '/** @example one(1, 2, 3) */\nexport function one(a: A, b: B, c: C) {}', []],
    ['a callback with several arguments', 'export function one(a: (b: B, c: C) => D, e: E): F {}', []],
  ];
  for (const [what, source, found] of cases)
    it(`are found with ${what}`, () => assert.deepEqual(functionsWithoutExample(source), found));
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
