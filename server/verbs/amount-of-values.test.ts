import assert from 'node:assert/strict';
import type { JsonValue } from '#base/json/json-value.ts';
import { checkAmount, checkText } from './amount-of-values.ts';

const members = (count: number): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '1']));
const items = (count: number): JsonValue => Array.from({ length: count }, () => '1');

describe('the limit of values in a request body', () => {
  const refused = { code: 413 };
  const rows: readonly [what: string, value: JsonValue, bytes: number, fits: boolean][] = [
    ['as many members as the store accepts', { data: members(70_000) }, 1_000_000, true],
    ['more members than the store accepts', { data: members(80_000) }, 1_000_000, false],
    ['too many members in many objects', Array.from({ length: 40_000 }, () => ({ a: 1, b: null })), 1_000_000, false],
    ['as many items as the store accepts', { a: items(300_000) }, 1_500_000, true],
    ['more items than the store accepts', { a: items(500_000) }, 2_000_000, false],
    ['a short body without counting its members', members(80_000), 299_999, true],
    ['one long string', 'x'.repeat(1_000_000), 1_000_000, true],
  ];
  for (const [what, value, bytes, fits] of rows) {
    it(`${fits ? 'accepts' : 'refuses'} ${what}`, () => {
      if (fits) checkAmount(value, bytes);
      else assert.throws(() => checkAmount(value, bytes), refused);
    });
  }

  const texts: readonly [what: string, text: string, fits: boolean][] = [
    ['a text with more members than the store accepts', `{${'"a":1,'.repeat(80_000)}}`, false],
    ['a text with more items than the store accepts', `[${'1,'.repeat(400_001)}1]`, false],
    ['a text with as many commas and colons in a string', `["${':,'.repeat(400_001)}"]`, true],
    ['a short text with many members', `{${'"":1,'.repeat(49_000)}}`, true],
  ];
  for (const [what, text, fits] of texts) {
    it(`${fits ? 'accepts' : 'refuses'} ${what}, before it is parsed`, () => {
      if (fits) checkText(Buffer.from(text));
      else assert.throws(() => checkText(Buffer.from(text)), refused);
    });
  }

  for (const [what, text, unsure] of [
    ['members', `{${'"":1,'.repeat(70_000)}"":1}`, false],
    ['empty objects', `[${'{},'.repeat(250_000)}{}]`, true],
  ] as const) {
    it(`${unsure ? 'needs another count after' : 'is checked completely before'} a text of ${what} is parsed`, () => {
      assert.equal(checkText(Buffer.from(text)), unsure);
    });
  }
});
