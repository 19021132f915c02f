import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { circles, folderCircles, importsOf, readImports, wrongWays } from './check-imports.ts';
import { type Package, packages } from './rooms.ts';

const root = path.resolve(import.meta.dirname, '..');

const table: readonly Package[] = [
  { folder: 'base', holds: '', imports: [], rooms: [{ folder: 'base/json', holds: '', pure: true }] },
  { folder: 'storage-etcd', holds: '', imports: ['base'] },
  {
    folder: 'server',
    holds: '',
    imports: ['base', 'storage-etcd'],
    rooms: [
      { folder: 'server/api', holds: '' },
      { folder: 'server/kinds', holds: '', pure: true },
      { folder: 'server/http', holds: '' },
    ],
  },
  { folder: 'client', holds: '', imports: ['base', 'server/kinds'] },
];

describe('check-imports', () => {
  const sources: readonly [what: string, source: string, imported: string[]][] = [
    ['values', "import { a } from './a.ts';", ['server/api/a.ts']],
    ['types', "import type { A } from '../http/a.ts';", ['server/http/a.ts']],
    ['on several lines', "import {\n  a,\n  type B,\n} from '../http/a.ts';", ['server/http/a.ts']],
    ['of another package', "import { a } from '#storage-etcd/a.ts';", ['storage-etcd/a.ts']],
    [
      'an export from another file',
      "export { a } from './a.ts';\nexport * from './b.ts';",
      ['server/api/a.ts', 'server/api/b.ts'],
    ],
    ['effects', "import './a.ts';", ['server/api/a.ts']],
    ['a dynamic import', "const { a } = await import('./a.ts');", ['server/api/a.ts']],
    ['an import type', "let a: import('./a.ts').A;", ['server/api/a.ts']],
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
    ['server/http/a.ts', 'server/api/b.ts', undefined],
    ['server/api/a.ts', 'server/http/b.ts', 'server/api must not use server/http'],
    ['server/main.ts', 'server/api/b.ts', undefined],
    ['server/api/a.ts', 'server/main.ts', 'server/api must not use server'],
    ['client/a.ts', 'base/json/b.ts', undefined],
    ['client/a.ts', 'server/kinds/b.ts', undefined],
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
    it(`${wrong === undefined ? 'allows' : 'forbids'} ${from} to import ${to}`, () => {
      const found = wrongWays(new Map([[from, [to]]]), table);
      if (wrong === undefined) assert.deepEqual(found, []);
      else assert.ok(found.length === 1 && found[0]!.includes(wrong), found.join());
    });

  it('finds import cycles', () => {
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

  it('finds import cycles of folders', () => {
    const graph = new Map([
      ['cli/commands/edit/a.ts', ['cli/commands/apply/b.ts']],
      ['cli/commands/apply/c.ts', ['cli/commands/edit/d.ts', 'cli/write/a.ts']],
    ]);
    const [circle, ...others] = folderCircles(graph);
    assert.equal(circle, 'cli/commands/edit imports cli/commands/apply imports cli/commands/edit');
    assert.deepEqual(others, []);
  });

  it('finds no problem in this project', () => {
    const graph = readImports(root);
    assert.ok(graph.has('server/main.ts') && graph.has('storage-etcd/etcd-store.ts'));
    assert.deepEqual([...wrongWays(graph), ...circles(graph), ...folderCircles(graph)], []);
  });

  it('has the package table of the README', () => {
    const shown = readFileSync(path.join(root, 'README.md'), 'utf8');
    const rows = packages.map(
      ({ folder, holds, imports }) =>
        `| [\`${folder}/\`](${folder}/README.md) | ${holds} | ${imports.map((one) => `\`${one}\``).join(', ')} |`,
    );
    assert.ok(shown.includes(rows.join('\n')), `README.md should have these rows:\n${rows.join('\n')}`);
  });

  for (const { folder, rooms } of packages)
    it(`has the folder table of ${folder}/README.md`, () => {
      const shown = readFileSync(path.join(root, folder, 'README.md'), 'utf8');
      const rows = (rooms ?? []).map((room) => `| \`${room.folder.slice(folder.length + 1)}/\` | ${room.holds} |`);
      assert.ok(shown.includes(rows.join('\n')), `${folder}/README.md should have these rows:\n${rows.join('\n')}`);
    });
});
