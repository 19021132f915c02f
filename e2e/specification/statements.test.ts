import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { blocksOf } from './specification-text.ts';
import { allSections, mistakesIn, readStatements } from './statement-table.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const RECORDINGS = process.env['RECORDINGS'] ?? path.join(ROOT, '../shared/recordings');
const TEXT = path.join(RECORDINGS, '../spec/control-plane-api.md');

describe('the statements of the specification', () => {
  it('each have a test, or a reason why no test can check them', () => {
    assert.deepEqual(mistakesIn(allSections(), ROOT), []);
  });

  it('match the text of the specification, if it is available', function () {
    if (!existsSync(TEXT)) this.skip();
    const blocks = blocksOf(readFileSync(TEXT, 'utf8'));
    const sections = allSections();
    assert.deepEqual(
      sections.map(({ id, heading }) => `${id} ${heading}`),
      blocks.map(({ id, heading }) => `${id} ${heading}`),
    );
    for (const [index, { id, count }] of blocks.entries()) {
      const { length } = sections[index]!.statements;
      assert.ok(length >= count, `${id} has ${count} rows, items and paragraphs, but ${length} statements`);
    }
  });

  const table = (...lines: string[]) => mistakesIn(readStatements(['# 1.1 About', ...lines].join('\n')), ROOT);
  const own = 'e2e/specification/statements.test.ts';

  for (const [what, lines, mistake] of [
    ['an existing test', ['1.1.1 a', `  ${own} > the statements of the specification`], undefined],
    ['a reason instead of a test', ['1.1.1 a', '  - it is advice'], undefined],
    ['neither', ['1.1.1 a'], '1.1.1 has neither a test nor a reason'],
    ['both', ['1.1.1 a', `  ${own} > both`, '  - advice'], '1.1.1 has both a test and a reason'],
    ['a part of a title', ['1.1.1 a', `  ${own} > the statements of`], `1.1.1: ${own} has no test the statements of`],
    ['a missing file', ['1.1.1 a', '  nowhere.test.ts > a'], '1.1.1: nowhere.test.ts is no file of tests'],
    ['a file without tests', ['1.1.1 a', '  scripts/rooms.ts > a'], '1.1.1: scripts/rooms.ts is no file of tests'],
    ['a missing number', ['1.1.2 a', '  - b'], '1.1.2 should be 1.1.1'],
    ['a repeated paraphrase', ['1.1.1 a', '  - b', '1.1.2 a', '  - b'], '1.1.2 says what another one says'],
  ] as const)
    it(`are ${mistake === undefined ? 'accepted' : 'refused'} with ${what}`, () => {
      assert.deepEqual(table(...lines), mistake === undefined ? [] : [mistake]);
    });

  it('must have a fixed form', () => {
    for (const line of ['  a', '1.1 a', '## 1.1 a', ' - b']) assert.throws(() => table(line), /line 2/, line);
  });
});
