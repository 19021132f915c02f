import assert from 'node:assert/strict';
import path from 'node:path';
import { changedTests } from './changed-tests.ts';

describe('changedTests', () => {
  const root = path.resolve(import.meta.dirname, '..');
  const cases: readonly [changed: string, expected: readonly string[]][] = [
    ['base/json/parse.test.ts', ['base/json/parse.test.ts']],
    ['scripts/changed-tests.ts', ['scripts/changed-tests.test.ts']],
    ['scripts/split-words.ts', ['scripts/split-words.test.ts']],
    ['base/gone.test.ts', []],
    ['proto/core.v1.proto', []],
  ];
  for (const [changed, expected] of cases)
    it(`${changed}: ${expected.join(', ') || 'none'}`, () => assert.deepEqual(changedTests(root, [changed]), expected));
});
