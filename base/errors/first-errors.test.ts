import assert from 'node:assert/strict';
import { type FieldError, invalidValue } from './field-error.ts';
import { firstErrors } from './first-errors.ts';

const errorsOf = (count: number): FieldError[] =>
  Array.from({ length: count }, (_, i) => invalidValue(`f[${i}]`, 'v', 'no'));

describe('firstErrors', () => {
  const rows: readonly [what: string, made: number, found: number][] = [
    ['no errors', 0, 0],
    ['all of a few errors', 3, 3],
    ['the first 5,000 of very many errors', 200_000, 5_000],
  ];
  for (const [what, made, found] of rows) {
    it(`finds ${what}`, () => assert.equal(firstErrors(() => errorsOf(made)).length, found));
    it(`finds ${what} in a check that pauses later`, async () => {
      const errors = await firstErrors(async () => errorsOf(made));
      assert.equal(errors.length, found);
    });
  }

  it('keeps the order of errors', () => {
    const errors = firstErrors(() => errorsOf(6_000));
    assert.deepEqual([errors.at(0)?.field, errors.at(-1)?.field], ['f[0]', 'f[4999]']);
  });

  it('passes on what the check throws', () => {
    assert.throws(() => firstErrors(() => assert.fail('broken')), /broken/);
  });

  it('leaves errors outside of checks without a limit', () => {
    firstErrors(() => errorsOf(6_000));
    assert.equal(errorsOf(6_000).length, 6_000);
  });

  it('counts a check inside of another by itself', () => {
    const errors = firstErrors(() => [...firstErrors(() => errorsOf(4_000)), ...errorsOf(2_000)]);
    assert.equal(errors.length, 6_000);
  });
});
