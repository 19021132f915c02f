import assert from 'node:assert/strict';
import { parseJson } from '#base/json/parse.ts';
import { atOnce } from '#base/time/steps.ts';
import { compiled, enoughWork } from './testing/schemas.ts';
import { validateValue } from './validate-value.ts';

const errorsOf = (schema: object, json: string) =>
  atOnce(validateValue(compiled(schema), parseJson(json).value, enoughWork())).map(({ text }) => text);

const text = { type: 'string' };

describe('a value of a custom kind', () => {
  const cases: [what: string, schema: object, json: string, ...errors: string[]][] = [
    [
      'a type',
      { type: 'integer' },
      '"x"',
      '<nil>: Invalid value: "string":  in body must be of type integer: "string"',
    ],
    ['a whole number however it is spelled', { type: 'integer' }, '3.0'],
    [
      'an integer of 64 bits to its last digit',
      { type: 'integer', maximum: 10 },
      '9223372036854775807',
      '<nil>: Invalid value: 9223372036854775807:  in body should be less than or equal to 10',
    ],
    [
      'no integer of more than 64 bits',
      { type: 'integer' },
      '99999999999999999999',
      '<nil>: Invalid value: "number":  in body must be of type integer: "number"',
    ],
    ['null where it may be', { type: 'string', nullable: true }, 'null'],
    [
      'null where it may not be',
      { type: 'array', items: text },
      '[null]',
      '[0]: Invalid value: "null": [0] in body must be of type string: "null"',
    ],
    [
      'an integer or a text',
      { 'x-orch-int-or-string': true },
      '1.5',
      '<nil>: Invalid value: "number":  in body must be of type integer,string: "number"',
    ],
    [
      'the path',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: { b: text } } } } },
      '{"a":[{"b":"x"},{"b":1}]}',
      'a[1].b: Invalid value: "integer": a[1].b in body must be of type string: "integer"',
    ],
    [
      'an exclusive limit',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      '1',
      '<nil>: Invalid value: 1:  in body should be greater than 1',
    ],
    ['a multiple', { type: 'number', multipleOf: 0.1 }, '0.3'],
    ['a multiple, however it is spelled', { type: 'number', multipleOf: 2.5 }, '1e1'],
    [
      'no multiple, however it is spelled',
      { type: 'number', multipleOf: 3 },
      '1e15',
      '<nil>: Invalid value: 1e+15:  in body should be a multiple of 3',
    ],
    [
      'no multiple, however near a large number is to one',
      { type: 'number', multipleOf: 1 },
      '1000000000.5',
      '<nil>: Invalid value: 1.0000000005e+09:  in body should be a multiple of 1',
    ],
    [
      'no multiple, however near it is to zero',
      { type: 'number', multipleOf: 1 },
      '1e-12',
      '<nil>: Invalid value: 1e-12:  in body should be a multiple of 1',
    ],
    [
      'an integer that is more than a limit, whatever doubles say',
      { type: 'integer', maximum: 9007199254740992 },
      '9007199254740993',
      '<nil>: Invalid value: 9007199254740993:  in body should be less than or equal to 9007199254740992',
    ],
    [
      'no multiple',
      { type: 'integer', multipleOf: 2 },
      '3',
      '<nil>: Invalid value: 3:  in body should be a multiple of 2',
    ],
    ['a length in characters', { type: 'string', maxLength: 2 }, '"\ud83d\ude00\ud83d\ude00"'],
    ['a text that is too long', { type: 'string', maxLength: 2 }, '"abc"', '<nil>: Too long: may not be longer than 2'],
    [
      'a text that is too short',
      { type: 'string', minLength: 2 },
      '"a"',
      '<nil>: Invalid value: "a":  in body should be at least 2 chars long',
    ],
    ['a pattern', { type: 'string', pattern: '^a' }, '"b"', `<nil>: Invalid value: "b":  in body should match '^a'`],
    [
      'a number that messages show as doubles are',
      { type: 'number', maximum: 1 },
      '1E2',
      '<nil>: Invalid value: 100:  in body should be less than or equal to 1',
    ],
    [
      'an object that is none of some values',
      { type: 'object', enum: [{ a: 1 }] },
      '{"a":2}',
      '<nil>: Unsupported value: map[string]interface {}{"a":2}: supported values: "{\\"a\\":1}"',
    ],
    ['one of some values', { type: 'number', enum: [1, 2] }, '1.0'],
    [
      'none of them',
      { type: 'string', enum: ['x', 'y'] },
      '"z"',
      '<nil>: Unsupported value: "z": supported values: "x", "y"',
    ],
    [
      'null',
      { type: 'string', nullable: true, enum: ['x'] },
      'null',
      '<nil>: Unsupported value: "null": supported values: "x"',
    ],
    [
      'members that must be there',
      { type: 'object', required: ['a'], properties: { a: text } },
      '{"toString":1}',
      'a: Required value',
    ],
    [
      'members that must not be there',
      { type: 'object', additionalProperties: false },
      '{"a":1}',
      '<nil>: Invalid value: "a": .a in body is a forbidden property',
    ],
    [
      'how many members there are, and nothing else when there are too many',
      { type: 'object', maxProperties: 1, additionalProperties: text },
      '{"a":1,"b":2}',
      '<nil>: Too many: 2: must have at most 1 items',
    ],
    [
      'alternatives, with the errors of the closest',
      { type: 'object', properties: { a: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{}',
      '<nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      'a: Required value',
    ],
    [
      'what it must not be',
      { type: 'string', not: { enum: ['bad'] } },
      '"bad"',
      '<nil>: Invalid value: "": "" must not validate the schema (not)',
    ],
    [
      'a format that is checked',
      { type: 'string', format: 'ipv4' },
      '"1.2.3"',
      '<nil>: Invalid value: "1.2.3":  in body must be of type ipv4: "1.2.3"',
    ],
    ['a format that is not', { type: 'integer', format: 'nosuch' }, '2147483648'],
    ['the most of 32 bits', { type: 'integer', format: 'int32' }, '2147483647'],
    ['one more than 32 bits hold, as recorded', { type: 'integer', format: 'int32' }, '2147483648'],
    ['what 32 bits hold, however it is spelled', { type: 'integer', format: 'int32' }, '1e9'],
    [
      'no more than 32 bits',
      { type: 'object', properties: { a: { type: 'integer', format: 'int32' } } },
      '{"a":1000000000000}',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a',
    ],
    [
      'no more than a short float',
      { type: 'number', format: 'float' },
      '1e300',
      '<nil>: Invalid value: "": Checked value must be of type number with format float in ',
    ],
  ];
  for (const [what, schema, json, ...errors] of cases) {
    it(`is checked for ${what}`, () => assert.deepEqual(errorsOf(schema, json), errors));
  }

  it('has a thousand errors at the most', () => {
    const list = JSON.stringify(Array(5000).fill(1));
    assert.ok(errorsOf({ type: 'array', items: text }, list).length <= 1001);
  });
});
