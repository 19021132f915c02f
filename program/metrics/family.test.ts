import assert from 'node:assert/strict';
import { HistogramSeries } from './family.ts';

describe('HistogramSeries', () => {
  const rows: [values: number[], counts: number[]][] = [
    [
      [0.5, 1, 1.5, 2, 9],
      [2, 2, 1],
    ],
    [
      [9, 2, 1.5, 1, 0.5],
      [2, 2, 1],
    ],
    [
      [1.5, 9, 0.5, 9, 1.5, 1],
      [2, 2, 2],
    ],
    [
      [-1, 0, Number.POSITIVE_INFINITY],
      [2, 0, 1],
    ],
  ];
  for (const [values, counts] of rows)
    it(`counts ${values.join()} in their buckets in any order`, () => {
      const series = new HistogramSeries([1, 2]);
      for (const value of values) series.observe(value);
      const sum = values.reduce((a, b) => a + b);
      assert.deepEqual([...series.numbers], [...counts, sum]);
    });
});
