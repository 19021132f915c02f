import assert from 'node:assert/strict';
import { partOfRows } from './part-of-rows.ts';

const rows: readonly (readonly [text: string, rows: string])[] = [
  ['0/1', 'abcdefghi'],
  ['0/4', 'aei'],
  ['1/4', 'bf'],
  ['3/4', 'dh'],
];

describe('the part of the rows that run', () => {
  for (const [text, expected] of rows)
    it(`PART=${text}: ${expected}`, () => {
      const isInPart = partOfRows(text);
      assert.equal([...'abcdefghi'].filter(isInPart).join(''), expected);
    });

  for (const text of ['', '4/4', '1', 'a/b', '-1/4'])
    it(`PART=${text}: an error`, () => assert.throws(() => partOfRows(text), /PART is/));
});
