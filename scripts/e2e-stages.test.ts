import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { e2eStages } from './e2e-stages.ts';
import { THOROUGH_TESTS } from './tries.ts';

describe('stages of make e2e', () => {
  const lists = e2eStages().flat();

  it('contain each file once', () => {
    assert.deepEqual(
      [...lists.flat()].sort(),
      [...globSync('*/**/*.e2e.ts', { exclude: ['node_modules', 'dist'] }), ...THOROUGH_TESTS].sort(),
    );
  });

  it('have no empty list, because mocha would then run its default files', () => {
    for (const list of lists) assert.notEqual(list.length, 0);
  });
});
