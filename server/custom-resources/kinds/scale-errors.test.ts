import assert from 'node:assert/strict';
import type { JsonValue } from '#base/json/json-value.ts';
import { scaleErrors } from './scale-errors.ts';

/** The errors of the replica counts of an object with this spec. */
const WRONG: [spec: JsonValue, problem: string | undefined][] = [
  [{ i: 3 }, undefined],
  [{ i: null }, undefined],
  [{}, undefined],
  [{ i: -1 }, '-1: should be a non-negative integer'],
  [{ i: 2147483648 }, '2147483648: should be less than or equal to 2147483647'],
  [{ i: 'x' }, '0: .spec.i accessor error: x is of the type string, expected int64'],
  [{ i: 1.5 }, '0: .spec.i accessor error: 1.5 is of the type float64, expected int64'],
  [{ i: true }, '0: .spec.i accessor error: true is of the type bool, expected int64'],
  ['x', '0: .spec.i accessor error: x is of the type string, expected map[string]interface{}'],
];

describe('replica counts of custom objects', () => {
  const scale = { specReplicasPath: '.spec.i', statusReplicasPath: '.status.i' };
  for (const [spec, problem] of WRONG) {
    it(`of ${JSON.stringify(spec)}: ${problem ?? 'valid'}`, () => {
      const texts = scaleErrors({ spec }, scale).map(({ text }) => text);
      assert.deepEqual(texts, problem === undefined ? [] : [`.spec.i: Invalid value: ${problem}`]);
    });
  }

  it('are reported before errors of the selector', () => {
    const texts = (status: JsonValue) =>
      scaleErrors({ status }, { ...scale, labelSelectorPath: '.status.s' }).map(({ text }) => text);
    assert.deepEqual(texts({ s: 'a=b' }), []);
    assert.deepEqual(texts({ i: -1, s: 5 }), [
      '.status.i: Invalid value: -1: should be a non-negative integer',
      '.status.s: Invalid value: "": .status.s accessor error: 5 is of the type int64, expected string',
    ]);
  });
});
