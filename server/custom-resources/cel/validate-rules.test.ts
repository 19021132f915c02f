import assert from 'node:assert/strict';
import { parseJson } from '#base/json/parse.ts';
import { defaultRelease } from '#base/release/release.ts';
import { atOnce } from '#base/time/steps.ts';
import { environmentOf } from '../../expressions/environment.ts';
import { compiled } from '../schema/testing/schemas.ts';
import { compileRule } from './compile-rule.ts';
import { validateRules as checksOfRules } from './validate-rules.ts';

const validateRules = (...args: Parameters<typeof checksOfRules>) => atOnce(checksOfRules(...args));

/** One schema with values of every type, for rules at its root. */
const properties = {
  i: { type: 'integer' },
  j: { type: 'integer' },
  d: { type: 'number' },
  b: { type: 'boolean' },
  s: { type: 'string', maxLength: 100 },
  t: { type: 'string', format: 'date-time' },
  u: { type: 'string', format: 'duration' },
  y: { type: 'string', format: 'byte', maxLength: 10 },
  l: { type: 'array', maxItems: 10, items: { type: 'integer' } },
  sl: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
  m: { type: 'object', maxProperties: 10, additionalProperties: { type: 'integer' } },
  o: { type: 'object', properties: { x: { type: 'integer' }, 'a-b': { type: 'integer' }, if: { type: 'integer' } } },
  ol: {
    type: 'array',
    maxItems: 10,
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['k'],
    items: {
      type: 'object',
      required: ['k'],
      properties: { k: { type: 'string', maxLength: 5 }, v: { type: 'integer' } },
    },
  },
  p: { 'x-orch-int-or-string': true },
  free: { type: 'object', 'x-orch-preserve-unknown-fields': true },
};
const VALUE = `{"i":7,"j":0,"d":1.5,"b":true,"s":"hello","t":"2020-01-02T03:04:05Z","u":"1h30m","y":"aGk=","l":[1,2,3],
  "sl":["a","b"],"m":{"a":1,"b":2},"o":{"x":1,"a-b":2,"if":3},"ol":[{"k":"a","v":1},{"k":"b"}],"p":"50%","free":{"z":1}}`;

function schemaOf(rule: string, message = '') {
  return compiled({ type: 'object', properties, 'x-orch-validations': [{ rule, message }] });
}

function outcome(rule: string, value = VALUE, old?: string): string {
  const [first] = validateRules(
    schemaOf(rule),
    parseJson(value).value,
    old === undefined ? undefined : parseJson(old).value,
    {
      isResource: false,
    },
  );
  return first === undefined ? 'holds' : first.body.replace('Invalid value: "object": ', '').replace(rule, 'RULE');
}

const TRUE = [
  'self.i == 7 && self.d == 1.5 && self.b && self.s == "hello"',
  'self.i + 1 == 8 && self.i - 1 == 6 && self.i * 2 == 14 && self.i / 2 == 3 && self.i % 2 == 1 && -self.i == -7',
  'self.i < 8 && self.i <= 7 && self.i > 6 && self.i >= 7 && self.i != 8 && !(self.i == 8)',
  '-9223372036854775808 < self.i',
  'self.d + 0.5 == 2.0 && self.d / 0.0 > 1.0',
  'self.i > 5 ? self.b : false',
  'self.j == 0 || 1 / self.j == 1',
  '1 / self.j == 1 || self.b',
  '!(1 / self.j == 1 && false)',
  'has(self.i) && has(self.o.x) && !has(self.ol[1].v)',
  'self.l[0] == 1 && self.l.size() == 3 && size(self.l) == 3 && 2 in self.l && !(9 in self.l)',
  'self.l.all(x, x > 0) && self.l.exists(x, x == 2) && self.l.exists_one(x, x == 2) && !self.l.exists(x, x > 3)',
  'self.l.filter(x, x > 1) == [2, 3] && self.l.map(x, x * 2) == [2, 4, 6] && self.l.map(x, x > 1, x * 2) == [4, 6]',
  'self.l.all(x, self.l.exists(y, y == x))',
  'self.l + [4] == [1, 2, 3, 4]',
  'self.m.a == 1 && self.m["b"] == 2 && "a" in self.m && self.m.all(k, self.m[k] > 0) && size(self.m) == 2',
  'self.o.x == 1 && self.o.a__dash__b == 2 && self.o.__if__ == 3',
  'self.ol[0].k == "a" && self.ol.exists(e, has(e.v) && e.v == 1) && self.ol.all(e, !has(e.v) || e.v == 1)',
  'type(self.p) == string ? self.p == "50%" : self.p < 100',
  'type(self.i) == int && type(self.t) == google.protobuf.Timestamp && type(null) == null_type',
  'self.t > timestamp("2019-01-01T00:00:00Z") && self.t - duration("24h") < self.t && self.t.getFullYear() == 2020',
  'self.t.getMonth() == 0 && self.t.getDate() == 2 && self.t.getDayOfMonth() == 1 && self.t.getDayOfWeek() == 4 && self.t.getDayOfYear() == 1',
  'self.t.getHours() == 3 && self.t.getHours("+02:00") == 5 && self.t.getMinutes() == 4 && self.t.getSeconds() == 5',
  'self.u == duration("90m") && self.u.getHours() == 1 && self.u.getMinutes() == 90 && self.u > duration("1h")',
  'self.y == b"hi" && size(self.y) == 2 && string(self.y) == "hi"',
  'int("5") == 5 && double("1.5") == 1.5 && string(5) == "5" && int(1.9) == 1 && uint(5) == 5u && bool("true")',
  'string(timestamp("2020-01-02T03:04:05.5Z")) == "2020-01-02T03:04:05.5Z" && string(duration("1m")) == "60s"',
  'self.s.startsWith("he") && self.s.endsWith("lo") && self.s.contains("ell") && self.s.matches("^h.*o$")',
  'self.s.charAt(1) == "e" && self.s.indexOf("l") == 2 && self.s.lastIndexOf("l") == 3 && self.s.indexOf("l", 3) == 3',
  'self.s.upperAscii() == "HELLO" && "ABC".lowerAscii() == "abc" && self.s.replace("l", "L", 1) == "heLlo"',
  'self.s.substring(1, 3) == "el" && self.s.split("l") == ["he", "", "o"] && " x ".trim() == "x"',
  'self.sl.join("-") == "a-b" && ["x"].join() == "x" && self.s.split("l", 2) == ["he", "lo"]',
  'size("\u{1f600}") == 1 && "a\u{1f600}b".substring(1, 2) == "\u{1f600}" && "a\u{1f600}b".indexOf("b") == 2',
  '[1, 2].isSorted() && !["b", "a"].isSorted() && [1, 2].sum() == 3 && [3, 1].min() == 1 && [3, 1].max() == 3',
  '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1.5, 1.5].sum() == 3.0',
  '"abc 123".find("[0-9]+") == "123" && "1, 22".findAll("[0-9]+") == ["1", "22"] && "1 2".findAll("[0-9]", 1) == ["1"]',
  'isURL("https://a:80/b?c=d") && !isURL("a b") && url("https://a:8080/b?c=d").getHost() == "a:8080"',
  'url("https://a:8080/b?c=d").getScheme() == "https" && url("https://a:8080/b?c=d").getPort() == "8080"',
  'url("/path?q=1").getHostname() == "" && url("/path?q=1&q=2").getQuery() == {"q": ["1", "2"]} && url("/a b".replace(" ", "%20")).getEscapedPath() == "/a%20b"',
  '{"a": 1}["a"] == 1 && {"a": 1} == {"a": 1} && dyn(1) == 1',
  r`"\n".size() == 1 && r"\n".size() == 2 && 'it' == "it" && """a"b""" == 'a"b'`,
];

function r(strings: TemplateStringsArray): string {
  return strings.raw[0]!;
}

const FALSE: [rule: string, outcome: string][] = [
  ['self.i == 8', 'failed rule: RULE'],
  ['self.ol[1].v == 1', 'no such key: v evaluating rule: RULE'],
  ['self.m.nosuch == 1', 'no such key: nosuch evaluating rule: RULE'],
  ['self.l[3] == 1', 'index out of bounds: 3 evaluating rule: RULE'],
  ['1 / self.j == 1', 'division by zero evaluating rule: RULE'],
  ['1 % self.j == 1', 'modulus by zero evaluating rule: RULE'],
  ['self.i * 9223372036854775807 == 1', 'integer overflow evaluating rule: RULE'],
  ['int(self.s) == 1', "type conversion error from 'string' to 'int' evaluating rule: RULE"],
  ['self.s.matches(self.s + "(")', 'error parsing regexp: missing closing ): `hello(` evaluating rule: RULE'],
  [
    'self.p < 100',
    "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: RULE",
  ],
  [
    'timestamp(self.s) == self.t',
    "type conversion error from 'string' to 'google.protobuf.Timestamp' evaluating rule: RULE",
  ],
  ['self.s.charAt(9) == ""', 'index out of range: 9 evaluating rule: RULE'],
  ['self.l.all(x, x < 3)', 'failed rule: RULE'],
];

const BROKEN: [rule: string, problem: RegExp][] = [
  ['self.nosuch == 1', /undefined field 'nosuch'/],
  ['self.free.z == 1', /undefined field 'z'/],
  ['nosuch == 1', /undeclared reference to 'nosuch'/],
  ['nosuch(self)', /undeclared reference to 'nosuch'/],
  ['self.i == "x"', /found no matching overload for '_==_' applied to '\(int, string\)'/],
  ['self.i + 1.5 > 1.0', /found no matching overload for '_\+_'/],
  ['self.i.startsWith("x")', /found no matching overload for 'startsWith'/],
  ['self.i', /must evaluate to a bool/],
  ['has(self)', /invalid argument to has\(\) macro/],
  ['self.i.all(x, true)', /cannot be range of a comprehension/],
  ['self.i ==', /Syntax error/],
  ['', /Syntax error/],
  ['self.i == 99999999999999999999', /invalid int literal/],
  ['self.constructor == 1', /undefined field/],
  [`${'!'.repeat(50_000)}self.b`, /recursion|limit|depth/i],
  [`${'('.repeat(5000)}self.b${')'.repeat(5000)}`, /limit|depth/i],
  [Array(20_000).fill('self.b').join(' && '), /limit|depth/i],
];

describe('a validation rule', () => {
  for (const rule of TRUE) it(`passes: ${rule}`, () => assert.equal(outcome(rule), 'holds'));
  for (const [rule, expected] of FALSE) it(`fails: ${rule}`, () => assert.equal(outcome(rule), expected));
  for (const [rule, problem] of BROKEN) {
    it(`is refused: ${rule.slice(0, 40)}`, () => {
      const schema = schemaOf(rule);
      const made = compileRule(schema.rules[0]!, schema, false, environmentOf(defaultRelease));
      assert.match('problem' in made ? made.problem : '', problem);
    });
  }

  it('fails with the message of the definition', () => {
    const [error] = validateRules(schemaOf('self.i > 9', 'too small'), parseJson(VALUE).value, undefined, {
      isResource: false,
    });
    assert.equal(error?.text, '<nil>: Invalid value: "object": too small');
  });

  it('that uses oldSelf runs only if there is an old value', () => {
    assert.equal(outcome('self.i >= oldSelf.i'), 'holds');
    assert.equal(outcome('self.i >= oldSelf.i', VALUE, VALUE), 'holds');
    assert.match(outcome('self.i >= oldSelf.i', VALUE, VALUE.replace('"i":7', '"i":8')), /^failed rule/);
  });

  it('finds the old item of a map list by its keys, and no old item in other lists', () => {
    const rule = [{ rule: 'self.v >= oldSelf.v' }];
    const items = {
      type: 'object',
      properties: { k: { type: 'string' }, v: { type: 'integer' } },
      'x-orch-validations': rule,
    };
    const errors = (listType: string, before: string, after: string) => {
      const keys = { 'x-orch-list-type': listType, 'x-orch-list-map-keys': ['k'] };
      const schema = compiled({ type: 'array', ...keys, items });
      return validateRules(schema, parseJson(after).value, parseJson(before).value, { isResource: false }).map(
        ({ field }) => field,
      );
    };
    const before = '[{"k":"a","v":1},{"k":"b","v":2}]';
    assert.deepEqual(errors('map', before, '[{"k":"b","v":1},{"k":"a","v":1},{"k":"c","v":0}]'), ['[0]']);
    assert.deepEqual(errors('atomic', before, '[{"k":"b","v":1}]'), []);
  });

  it('treats null as absent, and does not run on null', () => {
    assert.equal(outcome('!has(self.o)', '{"o":null}'), 'holds');
  });

  it('can use the name of a resource, but no other metadata', () => {
    const schema = schemaOf('self.metadata.name == "a" && self.kind == "K" && self.apiVersion == "v1"');
    const object = parseJson('{"apiVersion":"v1","kind":"K","metadata":{"name":"a","labels":{}}}').value;
    assert.deepEqual(validateRules(schema, object, undefined), []);
  });

  it('stops when its cost limit is exceeded, with an error', () => {
    const schema = compiled({
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'integer' } } },
      'x-orch-validations': [
        { rule: 'self.l.all(x, self.l.all(y, self.l.all(z, x + y + z > 0)))', message: 'never' },
        { rule: 'false' },
      ],
    });
    const errors = validateRules(schema, { l: Array(1000).fill(1) }, undefined, { isResource: false });
    assert.deepEqual(
      errors.map(({ body }) => body),
      [
        `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: never`,
      ],
    );
  });

  it('can select fields named as reserved words, escaped or not', () => {
    const names = { namespace: 'a', return: 'b', in: 'c' };
    const string = { type: 'string' };
    const rule =
      'self.namespace == self.__namespace__ && has(self.return) && self.__return__ == "b" && self.__in__ == "c"';
    const properties = { namespace: string, return: string, in: string };
    const schema = compiled({ type: 'object', properties, 'x-orch-validations': [{ rule }] });
    assert.deepEqual(validateRules(schema, names, undefined, { isResource: false }), []);
  });

  it('matches patterns in linear time', () => {
    assert.equal(outcome('!self.s.matches("^(a+)+$")', `{"s":"${'a'.repeat(5000)}!"}`), 'holds');
  });
});
