import assert from 'node:assert/strict';
import { parseJson } from '#base/json/parse.ts';
import { atOnce } from '#base/time/steps.ts';
import { compiled, enoughWork } from './testing/schemas.ts';
import { validateValue } from './validate-value.ts';

const errorsOf = (schema: object, json: string) =>
  atOnce(validateValue(compiled(schema), parseJson(json).value, enoughWork())).map(({ text }) => text);

const text = { type: 'string' };

describe('validateValue', () => {
  const cases: [what: string, schema: object, json: string, ...errors: string[]][] = [
    [
      'another type',
      { type: 'integer' },
      '"x"',
      '<nil>: Invalid value: "string":  in body must be of type integer: "string"',
    ],
    ['an integer with a decimal point', { type: 'integer' }, '3.0'],
    [
      'a large integer above a limit, with all digits in the error',
      { type: 'integer', maximum: 10 },
      '9223372036854775807',
      '<nil>: Invalid value: 9223372036854775807:  in body should be less than or equal to 10',
    ],
    [
      'an integer of more than 64 bits',
      { type: 'integer' },
      '99999999999999999999',
      '<nil>: Invalid value: "number":  in body must be of type integer: "number"',
    ],
    ['null in a nullable field', { type: 'string', nullable: true }, 'null'],
    [
      'null in a field that is not nullable',
      { type: 'array', items: text },
      '[null]',
      '[0]: Invalid value: "null": [0] in body must be of type string: "null"',
    ],
    [
      'a fraction for an int-or-string',
      { 'x-orch-int-or-string': true },
      '1.5',
      '<nil>: Invalid value: "number":  in body must be of type integer,string: "number"',
    ],
    [
      'a nested value, with its path in the error',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: { b: text } } } } },
      '{"a":[{"b":"x"},{"b":1}]}',
      'a[1].b: Invalid value: "integer": a[1].b in body must be of type string: "integer"',
    ],
    [
      'a value equal to an exclusive minimum',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      '1',
      '<nil>: Invalid value: 1:  in body should be greater than 1',
    ],
    ['a multiple of a fraction', { type: 'number', multipleOf: 0.1 }, '0.3'],
    ['a multiple with an exponent', { type: 'number', multipleOf: 2.5 }, '1e1'],
    [
      'a number with an exponent that is not a multiple',
      { type: 'number', multipleOf: 3 },
      '1e15',
      '<nil>: Invalid value: 1e+15:  in body should be a multiple of 3',
    ],
    [
      'a large number that is almost a multiple',
      { type: 'number', multipleOf: 1 },
      '1000000000.5',
      '<nil>: Invalid value: 1.0000000005e+09:  in body should be a multiple of 1',
    ],
    [
      'a number near zero that is not a multiple',
      { type: 'number', multipleOf: 1 },
      '1e-12',
      '<nil>: Invalid value: 1e-12:  in body should be a multiple of 1',
    ],
    [
      'an integer above a limit that is equal as a double',
      { type: 'integer', maximum: 9007199254740992 },
      '9007199254740993',
      '<nil>: Invalid value: 9007199254740993:  in body should be less than or equal to 9007199254740992',
    ],
    [
      'an integer that is not a multiple',
      { type: 'integer', multipleOf: 2 },
      '3',
      '<nil>: Invalid value: 3:  in body should be a multiple of 2',
    ],
    ['a string whose length is counted in characters', { type: 'string', maxLength: 2 }, '"\ud83d\ude00\ud83d\ude00"'],
    [
      'a string that is too long',
      { type: 'string', maxLength: 2 },
      '"abc"',
      '<nil>: Too long: may not be longer than 2',
    ],
    [
      'a string that is too short',
      { type: 'string', minLength: 2 },
      '"a"',
      '<nil>: Invalid value: "a":  in body should be at least 2 chars long',
    ],
    [
      'a string that does not match its pattern',
      { type: 'string', pattern: '^a' },
      '"b"',
      `<nil>: Invalid value: "b":  in body should match '^a'`,
    ],
    [
      'a number with an exponent, shown as a double in the error',
      { type: 'number', maximum: 1 },
      '1E2',
      '<nil>: Invalid value: 100:  in body should be less than or equal to 1',
    ],
    [
      'an object that is not in its enum',
      { type: 'object', enum: [{ a: 1 }] },
      '{"a":2}',
      '<nil>: Unsupported value: map[string]interface {}{"a":2}: supported values: "{\\"a\\":1}"',
    ],
    ['a number that is in its enum', { type: 'number', enum: [1, 2] }, '1.0'],
    [
      'a string that is not in its enum',
      { type: 'string', enum: ['x', 'y'] },
      '"z"',
      '<nil>: Unsupported value: "z": supported values: "x", "y"',
    ],
    [
      'null that is not in an enum',
      { type: 'string', nullable: true, enum: ['x'] },
      'null',
      '<nil>: Unsupported value: "null": supported values: "x"',
    ],
    [
      'a missing required member',
      { type: 'object', required: ['a'], properties: { a: text } },
      '{"toString":1}',
      'a: Required value',
    ],
    [
      'a forbidden additional member',
      { type: 'object', additionalProperties: false },
      '{"a":1}',
      '<nil>: Invalid value: "a": .a in body is a forbidden property',
    ],
    [
      'too many members, with no other error',
      { type: 'object', maxProperties: 1, additionalProperties: text },
      '{"a":1,"b":2}',
      '<nil>: Too many: 2: must have at most 1 items',
    ],
    [
      'a value that matches no oneOf, with the errors of the closest alternative',
      { type: 'object', properties: { a: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{}',
      '<nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      'a: Required value',
    ],
    [
      'a value that matches not',
      { type: 'string', not: { enum: ['bad'] } },
      '"bad"',
      '<nil>: Invalid value: "": "" must not validate the schema (not)',
    ],
    [
      'a value of another format',
      { type: 'string', format: 'ipv4' },
      '"1.2.3"',
      '<nil>: Invalid value: "1.2.3":  in body must be of type ipv4: "1.2.3"',
    ],
    ['any value for an unknown format', { type: 'integer', format: 'nosuch' }, '2147483648'],
    ['the largest integer of 32 bits', { type: 'integer', format: 'int32' }, '2147483647'],
    ['one more than the largest integer of 32 bits', { type: 'integer', format: 'int32' }, '2147483648'],
    ['an integer of 32 bits with an exponent', { type: 'integer', format: 'int32' }, '1e9'],
    [
      'a much larger integer for int32',
      { type: 'object', properties: { a: { type: 'integer', format: 'int32' } } },
      '{"a":1000000000000}',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a',
    ],
    [
      'a number that is too large for a float',
      { type: 'number', format: 'float' },
      '1e300',
      '<nil>: Invalid value: "": Checked value must be of type number with format float in ',
    ],
  ];
  for (const [what, schema, json, ...errors] of cases) {
    it(`${errors.length === 0 ? 'accepts' : 'refuses'} ${what}`, () =>
      assert.deepEqual(errorsOf(schema, json), errors));
  }

  it('returns at most about a thousand errors', () => {
    const list = JSON.stringify(Array(5000).fill(1));
    assert.ok(errorsOf({ type: 'array', items: text }, list).length <= 1001);
  });
});
