import assert from 'node:assert/strict';
import { partOfLines } from './part-of-lines.ts';

const rows: readonly (readonly [text: string, lines: string])[] = [
  ['0/1', 'abcdefghi'],
  ['0/4', 'aei'],
  ['1/4', 'bf'],
  ['3/4', 'dh'],
];

describe('the part of the lines that are compared', () => {
  for (const [text, lines] of rows)
    it(`COMPARED=${text}: ${lines}`, () => {
      const isInPart = partOfLines(text);
      assert.equal([...'abcdefghi'].filter(isInPart).join(''), lines);
    });

  for (const text of ['', '4/4', '1', 'a/b', '-1/4'])
    it(`COMPARED=${text}: an error`, () => assert.throws(() => partOfLines(text), /COMPARED is/));
});
