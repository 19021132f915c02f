import assert from 'node:assert/strict';
import { numberText } from './number-text.ts';

describe('numberText', () => {
  const cases: readonly [value: number, text: string][] = [
    [0, '0'],
    [1, '1'],
    [0.25, '0.25'],
    [0.0001, '0.0001'],
    [0.00016, '0.00016'],
    [0.000005, '5e-06'],
    [0.00001024, '1.024e-05'],
    [172_800, '172800'],
    [1_000_000, '1e+06'],
    [2_592_000, '2.592e+06'],
    [1e9, '1e+09'],
    [1e100, '1e+100'],
  ];
  for (const [value, text] of cases) it(text, () => assert.equal(numberText(value), text));
});
