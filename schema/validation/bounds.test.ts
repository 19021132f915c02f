import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { bounds, type NumberBound, validateBound } from './bounds.ts';

describe('validateBound', () => {
  const table: [value: number | undefined, bound: NumberBound, problem: string | undefined][] = [
    [undefined, { minimum: 1 }, undefined],
    [0, { minimum: 0 }, undefined],
    [-1, { minimum: 0 }, 'n: Invalid value: -1: must be greater than or equal to 0'],
    [1, { minimum: 1 }, undefined],
    [0, { minimum: 1 }, 'n: Invalid value: 0: must be greater than 0'],
    [65535, bounds['core.v1.ServicePort'].port, undefined],
    [65536, bounds['core.v1.ServicePort'].port, 'n: Invalid value: 65536: must be between 1 and 65535, inclusive'],
  ];
  for (const [value, bound, problem] of table) {
    it(`${problem === undefined ? 'takes' : 'refuses'} ${value} in ${JSON.stringify(bound)}`, () => {
      assert.deepEqual(
        validateBound(value, bound, new FieldPath('n')).map(({ text }) => text),
        problem === undefined ? [] : [problem],
      );
    });
  }
});
