import assert from 'node:assert/strict';
import { Indexes } from './indexes.ts';

describe('completion indexes', () => {
  it('are written as intervals', () => {
    const rows: readonly (readonly [values: number[], text: string])[] = [
      [[], ''],
      [[3], '3'],
      [[1, 0], '0,1'],
      [[2, 0, 1], '0-2'],
      [[7, 0, 2, 3, 4, 9, 10], '0,2-4,7,9,10'],
    ];
    for (const [values, text] of rows) {
      assert.equal(String(Indexes.of(values)), text);
      assert.equal(Indexes.of(values).size, values.length);
      assert.equal(String(Indexes.parse(text, 100)), text);
    }
  });

  it('are read up to the first mistake, and only below the number of completions', () => {
    const rows: readonly (readonly [text: string | undefined, read: string])[] = [
      [undefined, ''],
      ['1-3,5', '1-3'],
      ['2-9', '2-4'],
      ['x,1,-,2-,4-3', '1'],
      ['3,1,2', '1-3'],
    ];
    for (const [text, read] of rows) assert.equal(String(Indexes.parse(text, 5)), read);
  });

  it('can be joined, compared and looked up', () => {
    const some = Indexes.of([1, 2, 5]);
    assert.equal(String(some.with(Indexes.of([3, 4, 9]))), '1-5,9');
    assert.equal(String(some.with(Indexes.none)), '1,2,5');
    assert.deepEqual(
      [0, 1, 2, 3, 5, 6].map((index) => some.has(index)),
      [false, true, true, false, true, false],
    );
    assert.equal(some.common(Indexes.of([2, 3, 5, 6])), 2);
    assert.equal(some.common(Indexes.none), 0);
  });

  it('that are missing are returned in order', () => {
    const some = Indexes.of([1, 2, 5]);
    assert.deepEqual(some.firstMissing(3, 10), [0, 3, 4]);
    assert.deepEqual(some.firstMissing(9, 7), [0, 3, 4, 6]);
    assert.deepEqual(some.firstMissing(2, 1), [0]);
    assert.deepEqual(Indexes.none.firstMissing(2, 10), [0, 1]);
    assert.deepEqual(Indexes.none.firstMissing(0, 10), []);
  });
});
