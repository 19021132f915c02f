import assert from 'node:assert/strict';
import { atOnce } from '#base/time/steps.ts';
import { compiled } from '../schema/testing/schemas.ts';
import { validateRules } from './validate-rules.ts';

const properties = {
  s: { type: 'string' },
  p: { type: 'string' },
  by: { type: 'string', format: 'byte' },
  l: { type: 'array', items: { type: 'integer' } },
  sl: { type: 'array', items: { type: 'string' } },
  set: { type: 'array', 'x-orch-list-type': 'set', items: { type: 'string' } },
  m: { type: 'object', additionalProperties: { type: 'string' } },
  times: { type: 'array', items: { type: 'integer' } },
  t: { type: 'string', format: 'date-time' },
};
const numbers = (length: number) => Array.from({ length }, (_, i) => i);
const VALUE = {
  s: 'ab'.repeat(500_000),
  p: '(a|b)*c',
  by: Buffer.alloc(1_000_000).toString('base64'),
  l: numbers(200_000),
  sl: numbers(100_000).map((i) => `item${i}`),
  set: numbers(50_000).map(String),
  m: Object.fromEntries(numbers(50_000).map((i) => [`k${i}`, `v${i}`])),
  times: numbers(20_000),
  t: '2020-01-02T03:04:05Z',
};

/** Functions that take longer for larger values. With enough repetitions, each exceeds its budget. */
const WALKS = [
  'self.s.size() == 1',
  'self.s == self.s + "x"',
  'self.s < self.s',
  'self.s.contains("zzz")',
  'self.s.startsWith(self.s)',
  'self.s.endsWith(self.s)',
  'self.s.matches("(a|b)*c")',
  'self.s.matches(self.p)',
  'self.p.matches("a{1000}b")',
  'self.s.find("(a|b)*c") == "x"',
  'self.s.findAll("[ab]").size() == 1',
  'self.s.lowerAscii() == "x"',
  'self.s.upperAscii() == "x"',
  'self.s.trim() == "x"',
  'self.s.substring(1) == "x"',
  'self.s.charAt(1) == "x"',
  'self.s.indexOf("zz") == 1',
  'self.s.lastIndexOf("zz") == 1',
  'self.s.replace("a", "bbbbbbbb") == "x"',
  'self.s.replace("", "bbbbbbbb") == "x"',
  'self.s.split("") == []',
  'self.s.split("a").size() == 1',
  'self.sl.join(",") == "x"',
  'isURL(self.s)',
  'url("/?" + self.s).getQuery().size() == 1',
  'url("/" + self.s).getEscapedPath() == "x"',
  'bytes(self.s) == self.by',
  'string(self.by) == "x"',
  'self.by.size() == 1',
  'int(self.s) == 1',
  'double(self.s) == 1.0',
  'timestamp(self.s) == self.t',
  'self.l == self.l',
  'self.l + self.l == self.l',
  '-1 in self.l',
  '"zzz" in self.sl',
  'self.l.sum() == 1',
  'self.l.max() == 1',
  'self.sl.min() == "x"',
  'self.l.isSorted()',
  'self.l.indexOf(-1) == 1',
  'self.sl.lastIndexOf("zz") == 1',
  'self.m == self.m',
  'self.m.all(k, k != "zz")',
  'self.l.all(x, x >= 0)',
  'self.l.exists(x, x < 0)',
  'self.l.exists_one(x, x < 0)',
  'self.l.map(x, x).size() == 1',
  'self.l.filter(x, x < 0).size() == 1',
  'self.set == self.set',
  '(self.set + self.set).size() == 1',
  'self.t.getHours("Europe/Berlin") == 1',
  'quantity(self.s).isInteger()',
  'isSemver(self.s)',
  'isCIDR(self.s) || cidr("::/0").containsIP(self.s)',
  'format.dns1123Label().validate(self.s).hasValue()',
  'strings.quote(self.s) == "x"',
  '"%s".format([self.s]) == "x"',
  '"%s".format([self.sl]) == "x"',
  '"%.9999f".format([1.0]) == "x"',
  'sets.contains(self.sl, ["zz"])',
  'sets.contains(self.l, self.l)',
  'self.l.sort().size() == 1',
  'self.sl.sortBy(x, x.size()).size() == 1',
  'self.l.distinct().size() == 1',
  'self.l.reverse().size() == 1',
  '[self.l].flatten().size() == 1',
  'self.l.slice(0, 100000).size() == 1',
  'lists.range(100000).size() == 1',
  'self.sl.includes("zz")',
  'optional.unwrap(self.l.map(x, optional.of(x))).size() == 1',
  'self.l.all(j, x, x >= 0)',
  'self.m.transformMap(k, v, v).size() == 1',
  'self.m.transformList(k, v, v).size() == 1',
  'self.l.transformMapEntry(j, v, {v: j}).size() == 1',
];

describe('the cost budget of a rule', () => {
  for (const walk of WALKS) {
    it(`stops ${walk}`, () => {
      const rule = `self.times.all(i, (${walk}) || i >= 0)`;
      const schema = compiled({ type: 'object', properties, 'x-orch-validations': [{ rule }] });
      const [error] = atOnce(validateRules(schema, VALUE, undefined, { isResource: false }));
      assert.match(error?.body ?? '', /call cost exceeds limit for rule/);
    });
  }
});
