import assert from 'node:assert/strict';
import { pairedChange } from './paired-change.ts';

/** `n` values around 1, at distances up to `scatter`. */
const around = (n: number, scatter: number): number[] =>
  Array.from({ length: n }, (_, i) => 1 + scatter * ((i % 3) - 1));

describe('pairedChange', () => {
  const cases: [what: string, before: number[], after: number[], mean: number, width: number][] = [
    ['none', around(20, 0.1), around(20, 0.1), 0, 0],
    [
      '10 % more in each pair, for pairs of different sizes',
      around(20, 0.3),
      around(20, 0.3).map((v) => v * 1.1),
      0.1,
      0,
    ],
    ['a pair with an outlier is ignored', around(20, 0), [...around(19, 0), 50], 0, 0],
    ['scattered values have a wide interval', around(21, 0), around(21, 0.1), 0, 0.085],
    ['more pairs have a narrower interval', around(210, 0), around(210, 0.1), 0, 0.025],
    ['too few pairs have no upper bound', [1, 1, 1], [2, 2, 2], 1, Number.POSITIVE_INFINITY],
  ];
  for (const [what, before, after, expected, width] of cases) {
    it(what, () => {
      const { mean, low, high } = pairedChange(before, after);
      assert.ok(Math.abs(mean - expected) < 0.005, `${mean}`);
      assert.ok(low <= mean && mean <= high);
      if (Number.isFinite(width)) assert.ok(Math.abs(high - low - width) < 0.015, `${high - low}`);
      else assert.equal(high, width);
    });
  }
});
