import assert from 'node:assert/strict';
import { releases } from '#base/release/release.ts';
import { estimate, outcome } from './testing/outcome.ts';

/** Expressions, each with the first release that accepts it. */
const FIRST: [first: number, expression: string][] = [
  [25, 'self.s.find("l+") == "ll" && [1, 2].sum() == 3 && isURL("/a")'],
  [28, 'quantity("1").isInteger() && isQuantity("1Gi")'],
  [
    28,
    'self.?s.hasValue() && self.sl[?9].orValue("") == "" && [?optional.of(1)] == [1] && {?"a": optional.of(1)} == {"a": 1}',
  ],
  [28, 'optional.of(1).optMap(x, x + 1).value() == 2'],
  [28, '[1].first().hasValue() && [1].last().hasValue()'],
  [28, '1 < 1.5 && 2u > 1'],
  [29, '"%d".format([1]) == "1" && strings.quote("a") == "\\"a\\""'],
  [29, 'sets.contains([1, 2], [1])'],
  [30, 'isIP("::1") && cidr("10.0.0.0/8").containsIP("10.0.0.1") && type(ip("::1")) == net.IP'],
  [31, '!format.dns1123Label().validate("a").hasValue()'],
  [32, 'self.l.all(i, v, v > 0) && self.m.transformMap(k, v, k).size() == 2'],
  [33, 'isSemver("1.2.3") && semver("v1", true).minor() == 0'],
  [34, '[2, 1].sort() == [1, 2] && lists.range(2).reverse() == [1, 0] && self.sl.sortBy(x, x)[0] == "a"'],
  [37, '[1].includes(1)'],
];

describe('the environment of expressions', () => {
  for (const [first, expression] of FIRST)
    it(`supports ${expression} since release 1.${first}`, () => {
      const taking = releases.filter(({ name }) => !outcome(expression, name).startsWith('refused'));
      assert.deepEqual(
        taking.map(({ minor }) => minor),
        releases.map(({ minor }) => minor).filter((minor) => minor >= first),
      );
      for (const { name } of taking) assert.equal(outcome(expression, name), 'true');
    });
});

/** The estimates of the first release and of later releases, which know more about sizes. */
const ESTIMATES: [expression: string, first: number, later: number][] = [
  ['self.s == self.u', 24, 24],
  ['has(self.s)', 0, 1],
  ['self.sl.map(x, x)[0] == "b"', 79, 80],
  ['self.u.split(",").size() == 1', 44, 44],
  ['self.s.split(",", 2).all(x, x == "a")', 1048, 51],
  ['self.whole == "ééé"', 3, 3],
  ['dyn(self.sl).all(x, x == self.u)', 2 ** 64, 34],
];

describe('the cost estimate of an expression', () => {
  for (const [expression, first, later] of ESTIMATES)
    it(`of ${expression} is ${first} in 1.25, and ${later} in later releases`, () => {
      assert.equal(estimate(expression, '1.25'), first);
      assert.equal(estimate(expression, '1.26'), later);
      assert.equal(estimate(expression, '1.37'), later);
    });

  /** Later estimates. Programs of the field give the same ones. */
  const LATER: [expression: string, cost: number][] = [
    ['quantity(self.s) == quantity(self.u)', 45],
    ['semver(self.s) == semver(self.u)', 45],
    ['cidr(self.s).containsIP(self.u)', 48],
    ['cidr(self.s).containsCIDR(cidr(self.u))', 51],
    ['format.dns1123Label().validate(self.s).hasValue()', 644],
    ['format.dns1123Label() == format.uri()', 9],
    ['sets.contains(self.sl, self.sl)', 30],
    ['sets.equivalent(self.sl, ["a"])', 23],
    ['self.sl.sort()', 66],
    ['self.sl.sortBy(x, x.size())', 156],
    ['self.sl.distinct()', 63],
    ['self.l.slice(0, 2)', 15],
    ['lists.range(3)', 14],
    ['self.sl.flatten(1)', 18],
    ['self.sl.includes("a")', 107],
    ['self.?s.orValue("x") == self.u', 25],
    ['self.?o.optMap(x, x.p.q).orValue("") == self.u', 43],
    ['self.l.transformList(i, v, v)', 78],
    ['self.m.transformMap(k, v, v)["a"] == "x"', 54],
    ['self.m.transformMapEntry(k, v, {v: k})', 203],
    ['strings.quote(self.s) == self.u', 44],
    ['"%s".format([self.s]) == self.u', 35],
    ['self.s.replace("a", self.u) == self.s', 66],
    ['(self.sl + ["bb"])[0] == "a"', 14],
    ['url(self.s) == url(self.u)', 64],
  ];
  for (const [expression, cost] of LATER)
    it(`of ${expression} is ${cost}`, () => {
      assert.equal(estimate(expression), cost);
    });
});
