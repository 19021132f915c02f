import assert from 'node:assert/strict';
import type { JsonValue } from '#base/json/json-value.ts';
import { checkAmount, checkText } from './amount-of-values.ts';

const members = (count: number): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '1']));
const items = (count: number): JsonValue => Array.from({ length: count }, () => '1');

describe('the amount of values of a body', () => {
  const refused = { code: 413 };
  const rows: readonly [what: string, value: JsonValue, bytes: number, fits: boolean][] = [
    ['members that the store takes', { data: members(70_000) }, 1_000_000, true],
    ['members that no store takes', { data: members(80_000) }, 1_000_000, false],
    ['members of many objects', Array.from({ length: 40_000 }, () => ({ a: 1, b: null })), 1_000_000, false],
    ['items that the store takes', { a: items(300_000) }, 1_500_000, true],
    ['items that no store takes', { a: items(500_000) }, 2_000_000, false],
    ['what is not looked at, since it is short', members(80_000), 299_999, true],
    ['one long text', 'x'.repeat(1_000_000), 1_000_000, true],
  ];
  for (const [what, value, bytes, fits] of rows) {
    it(`${what}: ${fits ? 'fine' : '413'}`, () => {
      if (fits) checkAmount(value, bytes);
      else assert.throws(() => checkAmount(value, bytes), refused);
    });
  }

  const texts: readonly [what: string, text: string, fits: boolean][] = [
    ['a text of members that no store takes', `{${'"a":1,'.repeat(80_000)}}`, false],
    ['a text of items that no store takes', `[${'1,'.repeat(400_001)}1]`, false],
    ['a text with as many marks in a string', `["${':,'.repeat(400_001)}"]`, true],
    ['a short text of many members', `{${'"":1,'.repeat(49_000)}}`, true],
  ];
  for (const [what, text, fits] of texts) {
    it(`${what}: ${fits ? 'fine' : '413'}, before it is parsed`, () => {
      if (fits) checkText(Buffer.from(text));
      else assert.throws(() => checkText(Buffer.from(text)), refused);
    });
  }

  for (const [what, text, unsure] of [
    ['members', `{${'"":1,'.repeat(70_000)}"":1}`, false],
    ['empty objects', `[${'{},'.repeat(250_000)}{}]`, true],
  ] as const) {
    it(`is ${unsure ? 'still to be counted' : 'known'} from the marks of a text of ${what}`, () => {
      assert.equal(checkText(Buffer.from(text)), unsure);
    });
  }
});
