import assert from 'node:assert/strict';
import { parseJson } from '#base/json/parse.ts';
import { atOnce } from '#base/time/steps.ts';
import { compiled } from '../schema/testing/schemas.ts';
import { validateRules } from './validate-rules.ts';

const text = { type: 'string', maxLength: 6000 };
const rules = (...all: object[]) => ({ 'x-orch-validations': all });

/** The error of an object rule for an object whose `s` is `x`: the path, the reason and the message. */
const MESSAGES: [rule: object, error: string][] = [
  [{ rule: "self.s != 'x'" }, "spec FieldValueInvalid: Invalid value: failed rule: self.s != 'x'"],
  [{ rule: "self.s != 'x'", message: ' m ' }, 'spec FieldValueInvalid: Invalid value: m'],
  [{ rule: "self.s != 'x'", messageExpression: "'got ' + self.s" }, 'spec FieldValueInvalid: Invalid value: got x'],
  [{ rule: "self.s != 'x'", message: 'm', messageExpression: 'self.u' }, 'spec FieldValueInvalid: Invalid value: m'],
  [{ rule: "self.s != 'x'", message: 'm', messageExpression: "' '" }, 'spec FieldValueInvalid: Invalid value: m'],
  [{ rule: "self.s != 'x'", message: 'm', messageExpression: "'a\\nb'" }, 'spec FieldValueInvalid: Invalid value: m'],
  [
    { rule: "self.s != 'x'", message: 'm', messageExpression: "lists.range(6000).map(i, 'x').join()" },
    'spec FieldValueInvalid: Invalid value: m',
  ],
  [{ rule: "self.s != 'x'", message: 'm', fieldPath: '.o.x' }, 'spec.o.x FieldValueInvalid: Invalid value: m'],
  [{ rule: "self.s != 'x'", message: 'm', fieldPath: "['a-b']" }, 'spec.a-b FieldValueInvalid: Invalid value: m'],
  [{ rule: "self.s != 'x'", message: 'm', fieldPath: '.m.k' }, 'spec.m[k] FieldValueInvalid: Invalid value: m'],
  [{ rule: "self.s != 'x'", message: 'm', reason: 'FieldValueRequired' }, 'spec FieldValueRequired: Required value: m'],
  [{ rule: "self.s != 'x'", message: 'm', reason: 'FieldValueForbidden' }, 'spec FieldValueForbidden: Forbidden: m'],
  [{ rule: "self.s != 'x'", message: 'm', reason: 'FieldValueDuplicate' }, 'spec FieldValueDuplicate: Duplicate value'],
  [
    { rule: '1 / (self.s.size() - 1) == 1', reason: 'FieldValueForbidden' },
    'spec FieldValueInvalid: Invalid value: "object": division by zero evaluating rule: 1 / (self.s.size() - 1) == 1',
  ],
];

function specSchema(rule: object) {
  const properties = {
    s: text,
    u: text,
    'a-b': text,
    o: { type: 'object', properties: { x: text } },
    m: { type: 'object', additionalProperties: text },
  };
  return compiled({ type: 'object', properties: { spec: { type: 'object', properties, ...rules(rule) } } });
}

describe('the error of a failed rule', () => {
  for (const [rule, expected] of MESSAGES)
    it(`is ${expected} for ${JSON.stringify(rule)}`, () => {
      const object = parseJson('{"spec":{"s":"x"}}').value;
      const errors = atOnce(validateRules(specSchema(rule), object, undefined, { showsValues: true }));
      assert.deepEqual(
        errors.map(({ field, type, body }) => `${field} ${type}: ${body}`),
        [expected],
      );
    });

  it('contains the type of the value instead of the value in earlier releases', () => {
    const object = parseJson('{"spec":{"s":"x"}}').value;
    const [error] = atOnce(validateRules(specSchema({ rule: "self.s != 'x'" }), object, undefined));
    assert.equal(error?.body, 'Invalid value: "object": failed rule: self.s != \'x\'');
  });
});

const OPTIONAL = compiled({
  type: 'object',
  properties: {
    s: {
      ...text,
      ...rules({ rule: "oldSelf.hasValue() || self.startsWith('new')", optionalOldSelf: true, message: 'new' }),
    },
    m: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        ...rules({
          rule: 'oldSelf.optMap(o, o <= self).orValue(self == 0)',
          optionalOldSelf: true,
          message: 'grows from 0',
        }),
      },
    },
  },
});

/** Whether the object after the change is valid, by a rule that also runs on new values. */
const OPTIONALS: [before: string | undefined, after: string, errors: string[]][] = [
  [undefined, '{"s":"old"}', ['s']],
  [undefined, '{"s":"new","m":{"a":0}}', []],
  ['{"s":"new"}', '{"s":"x"}', []],
  ['{}', '{"s":"x"}', ['s']],
  ['{"m":{"a":0}}', '{"m":{"a":5,"b":1}}', ['m[b]']],
  ['{"m":{"a":5}}', '{"m":{"a":4}}', ['m[a]']],
];

describe('a rule with an optional old value', () => {
  for (const [before, after, expected] of OPTIONALS)
    it(`${expected.length === 0 ? 'passes' : 'fails'} for a change from ${before ?? 'nothing'} to ${after}`, () => {
      const old = before === undefined ? undefined : parseJson(before).value;
      const errors = atOnce(validateRules(OPTIONAL, parseJson(after).value, old));
      assert.deepEqual(
        errors.map(({ field }) => field),
        expected,
      );
    });
});

const RATCHETED = compiled({
  type: 'object',
  properties: {
    a: {
      type: 'object',
      properties: { s: { ...text, ...rules({ rule: "self != 'bad'", message: 'field' }) }, t: text },
      ...rules({ rule: "self.s != 'bad'", message: 'object' }),
    },
    b: text,
    c: { ...text, ...rules({ rule: "self == oldSelf && self != 'bad'", message: 'change' }) },
    l: { type: 'array', items: { ...text, ...rules({ rule: "self != 'bad'", message: 'item' }) } },
  },
});

/** After a change: the rules that are errors, and the rules that warn. */
const RATCHETS: [before: string, after: string, errors: string[], warnings: string[]][] = [
  [
    '{"a":{"s":"bad"}}',
    '{"a":{"s":"bad"},"b":"x"}',
    [],
    ['a: Invalid value: object', 'a.s: Invalid value: "bad": field'],
  ],
  ['{"a":{"s":"bad"}}', '{"a":{"s":"bad","t":"x"}}', ['a: object'], ['a.s: Invalid value: "bad": field']],
  ['{"a":{"s":"x"}}', '{"a":{"s":"bad"}}', ['a: object', 'a.s: field'], []],
  ['{"c":"bad"}', '{"c":"bad","b":"x"}', ['c: change'], []],
  ['{"l":["bad"]}', '{"l":["bad"],"b":"x"}', [], ['l[0]: Invalid value: "bad": item']],
  ['{"l":["bad"]}', '{"l":["bad","y"]}', ['l[0]: item'], []],
];

describe('a rule that already failed for the old value', () => {
  for (const [before, after, errors, warnings] of RATCHETS)
    it(`gives errors ${errors.join()} and warnings ${warnings.join()} for a change from ${before} to ${after}`, () => {
      const warned: string[] = [];
      const found = atOnce(
        validateRules(RATCHETED, parseJson(after).value, parseJson(before).value, {
          showsValues: true,
          ratchet: (warning) => warned.push(warning),
        }),
      );
      assert.deepEqual(
        found.map(({ field, body }) => `${field}: ${body.split(': ').at(-1)}`),
        errors,
      );
      assert.deepEqual(warned, warnings);
    });
});
