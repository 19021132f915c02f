import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packages } from './rooms.ts';

const root = path.resolve(import.meta.dirname, '..');
const pages = ['*.md', 'docs/**/*.md', '*/README.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: ['node_modules/**', 'dist/**'] }),
);
const read = (page: string): string => readFileSync(path.join(root, page), 'utf8');

/** Without what stands in fences: commands and code have names that are there only after a step. */
const prose = (page: string): string => read(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

describe('the docs', () => {
  it('are found', () => assert.ok(pages.length > 40, pages.join(' ')));

  for (const page of pages)
    it(`${page} links to what is there`, () => {
      const missing = [...prose(page).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(path.join(root, path.dirname(page), target)));
      assert.deepEqual(missing, []);
    });

  const folders = [...packages.map(({ folder }) => folder), 'e2e', 'bench', 'scripts', 'deploy', 'examples'].join('|');
  const named = new RegExp(`(?<![\\w/.-])(?:${folders})/[\\w./-]+\\.(?:ts|txt|yaml|json)\\b`, 'g');
  /** Files that a user makes. */
  const ignored = new Set(
    read('.gitignore')
      .split('\n')
      .map((line) => line.replace(/^\//, '')),
  );
  for (const page of pages.filter((name) => !/how-to|CHANGELOG/.test(name)))
    it(`${page} names files that are there`, () => {
      const missing = [...prose(page).matchAll(named)]
        .map(([file]) => file)
        .filter((file) => !ignored.has(file) && !existsSync(path.join(root, file)));
      assert.deepEqual(missing, []);
    });
});

describe('the diagrams of docs/architecture.md', () => {
  const diagrams = [
    ...read('docs/architecture.md').matchAll(
      /^### (.+)\n(?:(?!^#)[\s\S])*?^```mermaid\nsequenceDiagram\n([\s\S]*?)^```$/gm,
    ),
  ];

  it('show the six journeys', () => assert.equal(diagrams.length, 6));

  for (const [, journey, diagram = ''] of diagrams)
    it(`${journey} passes files that are there`, () => {
      const files = [...diagram.matchAll(/[\w/-]+\.ts\b/g)].map(([file]) => file);
      assert.ok(files.length >= 5, files.join(' '));
      assert.deepEqual(
        files.filter((file) => !existsSync(path.join(root, file))),
        [],
      );
    });
});
