import assert from 'node:assert/strict';
import { toKyaml } from './kyaml.ts';

describe('toKyaml', () => {
  const cases: readonly (readonly [what: string, value: unknown, text: string])[] = [
    ['maps and texts', { b: 'x', a: 1 }, '{\n  a: 1,\n  b: "x",\n}'],
    ['empty values', { a: {}, b: [], c: null }, '{\n  a: {},\n  b: [],\n  c: null,\n}'],
    ['lists of values', { a: [1, 'x'] }, '{\n  a: [\n    1,\n    "x",\n  ],\n}'],
    ['lists of maps', { a: [{ b: 1 }, { c: true }] }, '{\n  a: [{\n    b: 1,\n  }, {\n    c: true,\n  }],\n}'],
    [
      'keys that need quotes',
      { on: 1, '0x1': 1, 'a/b': 1, 'a b': 1, '2020-01-02': 1, inf: 1, 'a.b-c': 1 },
      '{\n  "0x1": 1,\n  "2020-01-02": 1,\n  "a b": 1,\n  a.b-c: 1,\n  a/b: 1,\n  "inf": 1,\n  "on": 1,\n}',
    ],
    ['texts of several lines', { a: 'x\n  y' }, '{\n  a: "\\\n     x\\n\\\n    \\  y\\\n    ",\n}'],
    ['a line break at the end', { a: 'x\n' }, '{\n  a: "\\\n     x\\n\\\n    ",\n}'],
    ['invisible characters', { a: '\u0001"\\\u200b😀' }, '{\n  a: "\\x01\\"\\\\\\u200b😀",\n}'],
  ];
  for (const [what, value, text] of cases)
    it(what, () => {
      assert.equal(toKyaml(value), `---\n${text}\n`);
    });
});
