import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readImports } from './check-imports.ts';
import { findOldestNode, newerThanOldest } from './oldest-node.ts';
import { programToTest } from './programs.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Files that check whether something newer exists before they use it. */
const ASKS: Readonly<Record<string, readonly string[]>> = {
  'server/compile-cache.ts': ['module.enableCompileCache', 'module.flushCompileCache'],
  'dev/allocator.ts': ['process.execve'],
};

describe('newerThanOldest', () => {
  const sources: readonly [what: string, source: string, found: string[]][] = [
    ['an imported name', "import { globSync, readFileSync } from 'node:fs';", ['fs.globSync']],
    ['an imported name with an alias', "import { glob as find } from 'node:fs/promises';", ['fs/promises.glob']],
    ['names on several lines', "import {\n  readFile,\n  globSync,\n} from 'node:fs';", ['fs.globSync']],
    ['a minified import', 'import fs2,{globSync}from"fs";fs2.glob("*")', ['fs.glob', 'fs.globSync']],
    ['a default import', "import fs from 'node:fs';\nfs.globSync('*');", ['fs.globSync']],
    ['a namespace', "import * as zlib from 'node:zlib';\nzlib.createZstdCompress();", ['zlib.createZstdCompress']],
    ['a module', "import { DatabaseSync } from 'node:sqlite';", ['sqlite']],
    ['a global', 'const socket = new WebSocket(url);', ['new WebSocket']],
    ['a property of the process', 'process.threadCpuUsage();', ['process.threadCpuUsage']],
    [
      'a function that exists',
      "import { glob } from './glob.ts';\nimport fs from 'node:fs';\nfs.statSync('glob');",
      [],
    ],
    ['an optional call', "import module from 'node:module';\nmodule.enableCompileCache?.();", []],
    ['a type', "import type { glob } from 'node:fs';", []],
    ['a property of another object', 'child.process.ref(); timer.unref(); own.navigator.x;', []],
  ];
  for (const [what, source, found] of sources)
    it(`${what}: ${found.join(', ') || 'nothing'}`, () => assert.deepEqual(newerThanOldest(source), found));

  it('finds nothing in the sources of the programs', () => {
    const newer = [...readImports(root).keys()].flatMap((file) =>
      newerThanOldest(readFileSync(path.join(root, file), 'utf8'))
        .filter((name) => !ASKS[file]?.includes(name))
        .map((name) => `${file} uses ${name}`),
    );
    assert.deepEqual(newer, []);
  });

  it('finds nothing in the packages of the build', function () {
    const dist = path.join(root, 'dist');
    if (!existsSync(dist)) return this.skip();
    const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    const imported = built.flatMap((file) =>
      [...readFileSync(path.join(dist, file), 'utf8').matchAll(/\bimport\b[^;"'()]*\bfrom\s*"[^"]+"/g)].flatMap(
        ([line]) => newerThanOldest(line).map((name) => `${file} imports ${name}`),
      ),
    );
    assert.deepEqual(imported, []);
  });
});

describe('the build with the oldest supported Node.js', function () {
  this.timeout(120_000);
  const programs = {
    'server/main': 'replica',
    'controllers/main': 'Controllers',
    'dev/main': 'one process',
    'cli/main': 'orchctl',
    'storage/main': 'etcd',
  } as const;
  const oldest = findOldestNode();

  for (const [name, word] of Object.entries(programs))
    it(`${name} starts`, function () {
      const { main } = programToTest(name as keyof typeof programs);
      if (oldest === undefined || !main.endsWith('.js')) return this.skip();
      const { status, stdout, stderr } = spawnSync(oldest, [main, '--help'], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stdout, new RegExp(word));
    });
});
