import assert from 'node:assert/strict';
import { firstOf } from './first-of.ts';

describe('firstOf', () => {
  const rows: readonly [most: number, found: readonly number[], asked: number][] = [
    [0, [], 0],
    [1, [1], 1],
    [2, [1, 2], 2],
    [3, [1, 2, 3], 3],
    [4, [1, 2, 3], 3],
  ];
  for (const [most, found, asked] of rows)
    it(`takes ${found.length} of three items for ${most}, and asks for ${asked}`, () => {
      let count = 0;
      function* items(): Generator<number> {
        while (count < 3) yield ++count;
      }
      assert.deepEqual(firstOf(items(), most), found);
      assert.equal(count, asked);
    });
});
