import assert from 'node:assert/strict';
import { defaultRelease } from '#base/release/release.ts';
import { environmentOf } from '../../expressions/environment.ts';
import { compiled } from '../schema/testing/schemas.ts';
import { compileRule } from './compile-rule.ts';

const text = { type: 'string', maxLength: 50 };
const properties = {
  i: { type: 'integer' },
  b: { type: 'boolean' },
  s: text,
  u: text,
  whole: { type: 'string' },
  by: { type: 'string', format: 'byte', maxLength: 50 },
  t: { type: 'string', format: 'date-time' },
  l: { type: 'array', maxItems: 5, items: { type: 'integer' } },
  sl: { type: 'array', maxItems: 5, items: text },
  m: { type: 'object', maxProperties: 5, additionalProperties: text },
  ol: { type: 'array', maxItems: 5, items: { type: 'object', properties: { k: text } } },
  p: { 'x-orch-int-or-string': true },
};

/** The estimated costs of rules. A text of 50 characters has 200 bytes, and a walk costs a tenth of that. */
const ESTIMATES: [rule: string, cost: number][] = [
  ['true', 0],
  ['self.b', 2],
  ['!self.b', 3],
  ['self.b && self.b', 4],
  ['self.i == 5', 2],
  ['self.i < 5', 3],
  ['self.s == "hello"', 3],
  ['self.s == self.u', 24],
  ['self.whole == self.s', 24],
  ['self.s + self.u == self.u', 66],
  ['self.s < self.u', 24],
  ['has(self.s)', 0],
  ['has(self.s) && self.s == "a"', 3],
  ['self.b ? self.s == "a" : self.u == self.s', 26],
  ['self.s.startsWith("abc")', 3],
  ['self.s.contains("a")', 22],
  ['self.s.contains(self.u)', 404],
  ['self.s.matches("^[a-z]+$")', 44],
  ['self.s.matches(self.u)', 1054],
  ['self.s.find("abc") == "a"', 24],
  ['self.s.lowerAscii() == "a"', 23],
  ['self.s.replace("a", "b") == "a"', 43],
  ['self.s.split(",").size() == 1', 44],
  ['self.sl.join(",") == "a"', 104],
  ['self.s.charAt(0) == "a"', 4],
  ['self.s.indexOf("a") == 1', 23],
  ['self.sl.indexOf("a") == 1', 108],
  ['self.l.sum() == 1', 8],
  ['self.s in self.sl', 9],
  ['self.sl[0] == self.sl[1]', 26],
  ['[1, 2, 3].size() == 3', 12],
  ['self.l.all(x, x == 1)', 23],
  ['self.l.exists(x, x == 1)', 28],
  ['self.l.exists_one(x, x == 1)', 19],
  ['self.l.map(x, x).size() == 1', 80],
  ['self.l.filter(x, x == 1).size() == 1', 85],
  ['self.m.all(k, self.m[k] == self.s)', 148],
  ['self.ol.all(x, x.k == self.s)', 138],
  ['string(self.by) == "a"', 8],
  ['self.t.getHours() == 1', 4],
  ['self.p.startsWith("a")', 3],
  ['self.s.substring(1) == self.u', 44],
  ['self.s.lowerAscii().trim() == self.u', 64],
];

describe('the cost estimate of a rule', () => {
  for (const [rule, cost] of ESTIMATES) {
    it(`${rule}: ${cost}`, () => {
      const schema = compiled({ type: 'object', properties, 'x-orch-validations': [{ rule }] });
      const made = compileRule(schema.rules[0]!, schema, false, environmentOf(defaultRelease));
      assert.equal('cost' in made ? made.cost : made.problem, cost);
    });
  }

  it('assumes that a part of a string is not longer than the string', () => {
    const rules = [
      'self.s.split(",").all(x, x != "a")',
      'self.s.substring(1).split("").all(x, x.trim() != self.u)',
      'self.s.find("a+").startsWith(self.s.trim())',
      'self.s.findAll("a").all(x, x.upperAscii() != "a")',
      'self.sl.join(",").split(",").exists(x, x == "a")',
    ];
    for (const rule of rules) {
      const schema = compiled({ type: 'object', properties, 'x-orch-validations': [{ rule }] });
      const made = compileRule(schema.rules[0]!, schema, false, environmentOf(defaultRelease));
      assert.ok('cost' in made && made.cost < 1e6, `${rule}: ${JSON.stringify(made)}`);
    }
  });

  it('is unbounded for values that an expression computes from lists', () => {
    const rule = 'self.sl.map(x, x + "a").all(x, x != "")';
    const schema = compiled({ type: 'object', properties, 'x-orch-validations': [{ rule }] });
    const made = compileRule(schema.rules[0]!, schema, false, environmentOf(defaultRelease));
    assert.ok('cost' in made && made.cost > 1e18);
  });
});
