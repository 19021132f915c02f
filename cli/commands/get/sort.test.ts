import assert from 'node:assert/strict';
import { sortByPath } from './sort.ts';

const sorted = (values: readonly unknown[]): unknown[] => {
  const items = values.map((value, at) => ({ at, ...(value === undefined ? {} : { value }) }));
  sortByPath(items, '.value');
  return items.map(({ at }) => values[at]);
};

describe('sortByPath', () => {
  for (const [values, expected] of [
    [
      ['p10', 'p2', 'p02', 'p', 'a', '1a'],
      ['1a', 'a', 'p', 'p2', 'p02', 'p10'],
    ],
    [
      ['1Gi', '100m', '1e3', '2k', '.5'],
      ['100m', '.5', '1e3', '2k', '1Gi'],
    ],
    [
      [3, 1, 2],
      [1, 2, 3],
    ],
    [
      ['b', null, 'a'],
      [null, 'a', 'b'],
    ],
    [
      ['b', undefined, 'a'],
      [undefined, 'a', 'b'],
    ],
  ])
    it(JSON.stringify(values), () => assert.deepEqual(sorted(values!), expected));

  for (const values of [
    [{}, {}],
    [[1], [2]],
    [true, false],
    [1, 'a'],
    [1, 1.5],
  ])
    it(`refuses ${JSON.stringify(values)}`, () => assert.throws(() => sorted(values), /cannot sort by/));

  it('puts items without the field first, in reverse order', () => {
    const items = [{ n: 'x' }, { n: 'y' }, { n: 'a', value: 1 }, { n: 'z' }];
    sortByPath(items, '.value');
    assert.deepEqual(
      items.map(({ n }) => n),
      ['z', 'y', 'x', 'a'],
    );
  });
});
