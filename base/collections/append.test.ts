import assert from 'node:assert/strict';
import { append } from './append.ts';

describe('append', () => {
  const rows: readonly [what: string, into: number[], lists: readonly Iterable<number>[], after: readonly number[]][] =
    [
      ['nothing', [1], [], [1]],
      ['an empty list', [1], [[]], [1]],
      ['one list', [1], [[2, 3]], [1, 2, 3]],
      ['several lists, in their order', [], [[1], [2, 3], new Set([4])], [1, 2, 3, 4]],
    ];
  for (const [what, into, lists, after] of rows)
    it(`adds ${what}`, () => {
      append(into, ...lists);
      assert.deepEqual(into, after);
    });

  it('adds more items than a function takes arguments', () => {
    const into: number[] = [];
    append(into, new Array(1_000_000).fill(7));
    assert.equal(into.length, 1_000_000);
  });
});
