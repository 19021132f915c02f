import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { circles, importsOf, readImports, wrongWays } from './check-imports.ts';
import { type Room, rooms } from './rooms.ts';

const root = path.resolve(import.meta.dirname, '..');

const table: readonly Room[] = [
  { folder: 'storage-etcd', holds: '' },
  { folder: 'base/json', holds: '', pure: true },
  { folder: 'server/api', holds: '' },
  { folder: 'server', holds: '' },
  { folder: 'client', holds: '', imports: ['base/json'] },
];

describe('the check of imports', () => {
  const sources: readonly [what: string, source: string, imported: string[]][] = [
    ['values', "import { a } from './a.ts';", ['server/api/a.ts']],
    ['types', "import type { A } from '../json/a.ts';", ['server/json/a.ts']],
    ['on several lines', "import {\n  a,\n  type B,\n} from '../../storage-etcd/a.ts';", ['storage-etcd/a.ts']],
    [
      'what is passed on',
      "export { a } from './a.ts';\nexport * from './b.ts';",
      ['server/api/a.ts', 'server/api/b.ts'],
    ],
    ['effects', "import './a.ts';", ['server/api/a.ts']],
    ['when it is needed', "const { a } = await import('./a.ts');", ['server/api/a.ts']],
    ['as a type', "let a: import('./a.ts').A;", ['server/api/a.ts']],
    ['Node.js', "import { b } from 'node:b';", ['node:b']],
    ['packages', "import a from 'a';", []],
  ];
  for (const [what, source, imported] of sources)
    it(`reads imports: ${what}`, () => {
      assert.deepEqual(importsOf('server/api/x.ts', source), imported);
    });

  const ways: readonly [from: string, to: string, wrong: string | undefined][] = [
    ['server/api/a.ts', 'server/api/deep/b.ts', undefined],
    ['server/api/deep/a.ts', 'base/json/b.ts', undefined],
    ['base/json/a.ts', 'server/api/b.ts', 'base/json must not use server/api'],
    ['server/main.ts', 'server/api/b.ts', undefined],
    ['server/api/a.ts', 'server/main.ts', 'server/api must not use server'],
    ['client/a.ts', 'base/json/b.ts', undefined],
    ['client/a.ts', 'server/api/b.ts', 'client must not use server/api'],
    ['server/main.ts', 'client/b.ts', 'server must not use client'],
    ['server/api/a.ts', 'e2e/b.ts', 'which is in no room'],
    ['server/api/a.ts', 'server/api/testing/b.ts', 'which is for tests'],
    ['base/json/a.ts', 'node:crypto', undefined],
    ['base/json/a.ts', 'node:fs', 'base/json is pure'],
    ['server/api/a.ts', 'node:fs', undefined],
    ['base/json/a.ts', 'storage-etcd/b.ts', 'base/json must not use storage-etcd'],
    ['server/new/a.ts', 'base/json/b.ts', 'is in no room'],
  ];
  for (const [from, to, wrong] of ways)
    it(`${wrong === undefined ? 'lets' : 'does not let'} ${from} import ${to}`, () => {
      const found = wrongWays(new Map([[from, [to]]]), table);
      if (wrong === undefined) assert.deepEqual(found, []);
      else assert.ok(found.length === 1 && found[0]!.includes(wrong), found.join());
    });

  it('finds circles', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', ['d']],
      ['d', ['b']],
    ]);
    assert.deepEqual(circles(graph), ['b imports c imports d imports b']);
    graph.set('d', []);
    assert.deepEqual(circles(graph), []);
  });

  it('finds nothing wrong here', () => {
    const graph = readImports(root);
    assert.ok(graph.has('server/main.ts') && graph.has('storage-etcd/etcd-store.ts'));
    assert.deepEqual([...wrongWays(graph), ...circles(graph)], []);
  });

  it('has the rooms of the picture in the README', () => {
    const picture = /```\n(stages .*?)```/s.exec(readFileSync(path.join(root, 'README.md'), 'utf8'))?.[1] ?? '';
    const shown = picture.split('\n').flatMap((line) => line.split(/ {2,}/)[0]!.split(' · ').reverse());
    const there = rooms.filter(({ folder }) => existsSync(path.join(root, folder)));
    const inside = there.map(({ folder }) => folder.replace('server/', '')).filter((name) => shown.includes(name));
    assert.deepEqual(shown.filter((name) => name !== '').reverse(), inside);
    const servers = there.filter(({ folder }) => folder.startsWith('server/'));
    assert.equal(inside.length, servers.length + 1, 'every room of the server, and the store');
  });

  it('has the table that the README shows', () => {
    const shown = readFileSync(path.join(root, 'README.md'), 'utf8');
    const there = rooms.filter(({ folder }) => existsSync(path.join(root, folder)));
    const rows = there.map(({ folder, holds }) => `| \`${folder}/\` | ${holds} |`);
    assert.ok(shown.includes(rows.join('\n')), `README.md should have these rows:\n${rows.join('\n')}`);
  });
});
