import assert from 'node:assert/strict';
import { outcome } from '../testing/outcome.ts';

/** Programs of the field give the same results. */
const CASES: [expression: string, outcome: string][] = [
  ['self.l.all(i, v, v > i)', 'false'],
  ['self.l.all(i, v, v >= 0)', 'true'],
  ['self.l.exists(i, v, i == v)', 'true'],
  ['self.l.exists_one(i, v, i == v)', 'false'],
  ['self.l.existsOne(i, v, v == 1)', 'true'],
  ['self.m.all(k, v, size(k) == 1 && v != "")', 'true'],
  ['self.m.exists(k, v, v == "y")', 'true'],
  ['self.m.existsOne(k, v, v == "x")', 'true'],
  ['self.l.transformList(i, v, v > i ? "big" : "small")', '["big", "small", "small"]'],
  ['self.l.transformList(i, v, i > 0, v)', '[1, 2]'],
  ['self.m.transformList(k, v, k + v)', '["ax", "by"]'],
  ['self.m.transformMap(k, v, v + "!")', '{"a": "x!", "b": "y!"}'],
  ['self.m.transformMap(k, v, k == "a", v + "!")', '{"a": "x!"}'],
  ['self.l.transformMap(i, v, v * 2)', '{0: 6, 1: 2, 2: 4}'],
  ['self.l.transformMap(i, v, v > 1, v * 2)', '{0: 6, 2: 4}'],
  ['self.m.transformMapEntry(k, v, {v: k})', '{"x": "a", "y": "b"}'],
  ['self.m.transformMapEntry(k, v, k == "a", {v: k})', '{"x": "a"}'],
  ['self.sl.transformMapEntry(i, v, {v: i})', 'error: insert failed: key b already exists'],
  ['self.l.transformMapEntry(i, v, {v: i})', '{3: 0, 1: 1, 2: 2}'],
  [
    'self.m.transformMapEntry(k, v, v)',
    "refused: found no matching overload for 'cel.@mapInsert' applied to '(map(K, V), string)'",
  ],
  ['self.m.transformMapEntry(k, v, {k: 1, k + "2": 2})', '{"a": 1, "a2": 2, "b": 1, "b2": 2}'],
  [
    '{"a": 1}.transformMap(k, v, k, v)',
    "refused: found no matching overload for '_?_:_' applied to '(string, map, map)'",
  ],
  ['self.m.transformMap(k, v, 1/0)', 'error: division by zero'],
  ['self.l.all(i, i, true)', 'refused: duplicate variable name: i'],
  ['self.l.all(1, v, true)', 'refused: argument must be a simple name'],
  ['self.l.all(i, v, v)', "refused: found no matching overload for '_&&_' applied to '(bool, int)'"],
  [
    'self.l.transformList(i, v, "x", v)',
    "refused: found no matching overload for '_?_:_' applied to '(string, list, list)'",
  ],
  [
    'self.s.all(i, v, true)',
    "refused: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['self.ol.all(i, x, x.k != "")', 'true'],
  ['self.ol.exists(i, x, has(x.v) && x.v == i + 1)', 'true'],
  ['dyn({"a": 1}).all(k, v, v == 1)', 'true'],
  ['dyn([1]).transformList(i, v, v)', '[1]'],
  ['[1, 2].all(i, v, 1/(v - 1) > 0)', 'error: division by zero'],
  ['[1, 2].exists(i, v, 1/(v - 1) > 0)', 'true'],
  ['self.l.transformList(i, v, v).all(x, x > 0)', 'true'],
  ['self.m.transformMap(k, v, v).all(k, k != "")', 'true'],
  ['self.m.transformMap(k, v, v)["a"] == "x"', 'true'],
  ['self.m.transformList(k, v, v).join(",") == self.u', 'false'],
  ['self.m.transformMap(k, v, v).size() == 2', 'true'],
  ['self.sl.transformList(i, v, v)[0] == self.u', 'false'],
];

describe('macros with two variables', () => {
  for (const [expression, expected] of CASES)
    it(`${expression} is ${expected}`, () => {
      assert.equal(outcome(expression), expected);
    });
});
