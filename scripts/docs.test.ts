import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const pages = ['*.md', 'docs/**/*.md', '*/README.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: ['node_modules/**', 'dist/**'] }),
);
const read = (page: string): string => readFileSync(path.join(root, page), 'utf8');

/** The text without code blocks: commands and code contain names that exist only after a step. */
const prose = (page: string): string => read(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** The folders at the root of the project that are under version control. */
const topFolders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|dist$)/.test(entry.name))
  .map(({ name }) => name);

const ignored = read('.gitignore')
  .split('\n')
  .filter((line) => line.startsWith('/'))
  .map((line) => line.slice(1));

/** Files and folders that a user of the project makes, which version control ignores. */
const isMadeByUsers = (file: string): boolean =>
  ignored.some((one) => file === one || `${file}/` === one || (one.endsWith('/') && file.startsWith(one)));

const madeBySteps = new Set(
  globSync('docs/how-to/*.md', { cwd: root }).flatMap((page) =>
    [...read(page).matchAll(/\ba new file\s+`([^`]+)`/gi)].map(([, file = '']) => file),
  ),
);

/** Files that a step of a how-to page makes. */
const isMadeByAStep = (file: string): boolean => madeBySteps.has(file);

describe('the documentation', () => {
  it('has pages', () => assert.ok(pages.length > 40, pages.join(' ')));

  for (const page of pages)
    it(`${page} has no broken links`, () => {
      const missing = [...prose(page).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(path.join(root, path.dirname(page), target)));
      assert.deepEqual(missing, []);
    });

  for (const folder of topFolders)
    it(`${folder}/README.md exists`, () => assert.ok(existsSync(path.join(root, folder, 'README.md'))));

  const named = new RegExp(`(?<![\\w/.-])(?:${topFolders.join('|')})/[\\w./-]+\\.(?:ts|txt|yaml|json)\\b`, 'g');
  const quoted = new RegExp(`^(?:${topFolders.join('|')})(?:/[\\w.-]+)*/?$`);
  for (const page of pages.filter((name) => name !== 'CHANGELOG.md'))
    it(`${page} names only files that exist`, () => {
      const text = prose(page);
      const inBackQuotes = [...text.matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words);
      const paths = [
        ...[...text.matchAll(named)].map(([file]) => file),
        ...inBackQuotes.filter((it) => quoted.test(it)),
      ];
      const exists = (file: string): boolean =>
        existsSync(path.join(root, file)) || existsSync(path.join(root, path.dirname(page), file));
      const missing = paths.filter((file) => !exists(file) && !isMadeByUsers(file) && !isMadeByAStep(file));
      assert.deepEqual(missing, []);
    });
});

it('docs/decisions/README.md lists every page of its folder', () => {
  const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\) \| \S/gm)].map(
    ([, page = '']) => page,
  );
  const inFolder = globSync('*.md', { cwd: path.join(root, 'docs/decisions') }).filter((page) => page !== 'README.md');
  assert.deepEqual(listed.toSorted(), inFolder.toSorted());
});

it('docs/CONTRIBUTING.md names every page of docs/how-to', () => {
  const named = [...read('docs/CONTRIBUTING.md').matchAll(/\]\(how-to\/([\w-]+\.md)\)/g)].map(([, page = '']) => page);
  assert.deepEqual(
    [...new Set(named)].toSorted(),
    globSync('*.md', { cwd: path.join(root, 'docs/how-to') }).toSorted(),
  );
});

describe('the diagrams of docs/architecture.md', () => {
  const diagrams = [
    ...read('docs/architecture.md').matchAll(
      /^### (.+)\n(?:(?!^#)[\s\S])*?^```mermaid\nsequenceDiagram\n([\s\S]*?)^```$/gm,
    ),
  ];

  it('show six journeys', () => assert.equal(diagrams.length, 6));

  for (const [, journey, diagram = ''] of diagrams)
    it(`${journey} names only files that exist`, () => {
      const files = [...diagram.matchAll(/[\w/-]+\.ts\b/g)].map(([file]) => file);
      assert.ok(files.length >= 5, files.join(' '));
      assert.deepEqual(
        files.filter((file) => !existsSync(path.join(root, file))),
        [],
      );
    });
});
