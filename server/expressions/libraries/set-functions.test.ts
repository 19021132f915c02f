import assert from 'node:assert/strict';
import { outcome } from '../testing/outcome.ts';

/** Programs of the field give the same results. */
const CASES: [expression: string, outcome: string][] = [
  ['sets.contains([1, 2, 3], [1, 2])', 'true'],
  ['sets.contains([1, 2], [1, 2, 3])', 'false'],
  ['sets.contains([], [])', 'true'],
  ['sets.contains([], [1])', 'false'],
  ['sets.contains(self.l, [1])', 'true'],
  ['sets.contains(self.sl, self.sl)', 'true'],
  [
    'sets.contains(["a"], [1])',
    "refused: found no matching overload for 'sets.contains' applied to '(list(string), list(int))'",
  ],
  ['sets.equivalent([1, 1], [1])', 'true'],
  ['sets.equivalent([1, 2], [2, 1])', 'true'],
  ['sets.equivalent(self.sl, ["a", "b"])', 'true'],
  ['sets.equivalent([], [1])', 'false'],
  ['sets.intersects([1, 2], [2, 3])', 'true'],
  ['sets.intersects([1], [2])', 'false'],
  ['sets.intersects([], [])', 'false'],
  ['sets.intersects(self.l, self.l)', 'true'],
  ['sets.nosuch([1])', "refused: undeclared reference to 'sets' (in container '')"],
  ['sets.contains([1])', "refused: found no matching overload for 'sets.contains' applied to '(list(int))'"],
  ['sets.contains([1, 2u, 3.0].map(x, dyn(x)), [1.0])', "refused: expected type 'int' but found 'uint'"],
];

describe('sets in expressions', () => {
  for (const [expression, expected] of CASES)
    it(`${expression} is ${expected}`, () => {
      assert.equal(outcome(expression), expected);
    });
});
