import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { filesMatching, PatternError } from './glob.ts';

describe('filesMatching', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'glob-'));
    mkdirSync(path.join(folder, 'sub'));
    for (const name of ['a.yaml', 'b.yml', '.h.yaml', 'sub/c.yaml', 'x[y']) writeFileSync(path.join(folder, name), '');
  });
  after(() => rmSync(folder, { recursive: true }));

  const cases: Readonly<Record<string, readonly string[]>> = {
    '*.yaml': ['.h.yaml', 'a.yaml'],
    '?.y*': ['a.yaml', 'b.yml'],
    '[a-a].y*': ['a.yaml'],
    '[^a].y*': ['b.yml'],
    '*/*.yaml': ['sub/c.yaml'],
    '**/c.yaml': ['sub/c.yaml'],
    'x\\[y': ['x[y'],
    'nope*': [],
    'nope/*': [],
  };
  for (const [pattern, found] of Object.entries(cases))
    it(pattern, () => {
      assert.deepEqual(
        filesMatching(`${folder}/${pattern}`).map((file) => path.relative(folder, file)),
        found,
      );
    });

  it('refuses invalid patterns', () => {
    for (const pattern of ['[', '[]', 'a\\']) assert.throws(() => filesMatching(pattern), PatternError);
  });
});
